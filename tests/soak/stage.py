# SPDX-License-Identifier: MIT
"""The recordings of the soak, made by `mark6 synth`: healthy ones, some with holes or damage, and
two whose fragments the chaos takes away. One lies in memory, where there is a file system for it.
"""
import json
import os
import struct
import subprocess

import e2e
import views

SHAPES = (
    # name, where, packet bytes, troubled, options
    ("soak_healthy.vdif", "disk", 8032, False,
     ["--modules", "2", "--disks", "4", "--bytes", "48M", "--block-size", "1M"]),
    # Blocks enough for its places to be proven by a few headers.
    ("soak_grid.vdif", "memory", 8032, False,
     ["--disks", "2", "--bytes", "160M", "--block-size", "1.1M", "--placement", "round-robin"]),
    ("soak_v1.vdif", "disk", 1032, False,
     ["--sg-version", "1", "--disks", "5", "--bytes", "12M", "--block-size", "64K", "--packet-size",
      "1032", "--short-last"]),
    ("soak_holes.vdif", "memory", 5032, False,
     ["--modules", "2", "--disks", "4", "--bytes", "24M", "--block-size", "300K", "--packet-size",
      "5032", "--missing-block", "7", "--missing-block", "40", "--short-block", "11",
      "--missing-disk", "2/1"]),
    ("soak_troubled_a.vdif", "disk", 8032, True,
     ["--modules", "2", "--disks", "4", "--bytes", "24M", "--block-size", "500K"]),
    ("soak_troubled_b.vdif", "memory", 1032, True,
     ["--disks", "3", "--bytes", "8M", "--block-size", "1M", "--packet-size", "1032"]),
    ("soak_spoilt.vdif", "disk", 8032, False,
     ["--disks", "4", "--bytes", "16M", "--block-size", "500K"]),
)


def make(directories):
    """Lays all recordings below the directories {"disk": ..., "memory": ...}; a list of Scans."""
    return [make_one(directories, *shape) for shape in SHAPES]


def make_one(directories, name, where, packet_bytes, troubled, options):
    root = os.path.join(directories[where], "rec")
    flat = os.path.join(directories["disk"], name + ".flat")
    done = subprocess.run([e2e.program("mark6"), "synth", "-q", "--json", "--scan", name, "--flat",
                           flat, *options, root], check=True, stdout=subprocess.PIPE)
    fragments = [os.path.join(root, "disks", entry["disk"], "data", name)
                 for entry in json.loads(done.stdout)["fragments"]]
    fragments = [path for path in fragments if os.path.exists(path)]
    scan = views.Scan(name, packet_bytes, fragments, flat, troubled)
    if scan.spoilt:
        spoil(scan)
    return scan


def spoil(scan):
    """Destroys the length of one block and all of another's header."""
    with open(scan.fragments[1], "r+b") as file:
        first, = struct.unpack("<i", os.pread(file.fileno(), 4, 24))
        second, = struct.unpack("<i", os.pread(file.fileno(), 4, 20 + first + 4))
        os.pwrite(file.fileno(), struct.pack("<i", 12345), 20 + first + 4)
        os.pwrite(file.fileno(), b"\xff" * 8, 20 + first + second)


def globs(directories):
    return [os.path.join(directory, "rec", "disks", "*", "*")
            for directory in dict.fromkeys(directories.values())]
