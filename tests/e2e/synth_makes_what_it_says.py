# SPDX-License-Identifier: MIT
"""`mark6 synth`: a naive reader and gather find the stream whose hash it prints; the frames count on
in time; a disk that was slow got fewer blocks; the seed decides the bytes; --sparse takes no room."""
import glob
import hashlib
import json
import os
import struct
import subprocess

import e2e
import sgread

SCAN = "made_Xx_1.vdif"
COMMON = ["--scan", SCAN, "--modules", "2", "--disks", "3", "--json", "-q"]


def synth(root, *options):
    done = subprocess.run([e2e.program("mark6"), "synth", root, *COMMON, *options],
                          stdout=subprocess.PIPE, check=True, timeout=60)
    fragments = sorted(glob.glob(os.path.join(root, "disks", "*", "*", "data", SCAN)))
    e2e.same("number of fragments", len(fragments), 6)
    return json.loads(done.stdout), fragments


def check_frames(naive, packet_bytes, frame_rate, threads):
    """Thread by thread the frames follow each other without a gap."""
    ahead = {}
    for at in range(0, naive.size, packet_bytes):
        words = struct.unpack("<4I", naive.pread(16, at))
        thread = words[3] >> 16 & 0x3FF
        time = (words[0] & 0x3FFFFFFF) * frame_rate + (words[1] & 0xFFFFFF)
        e2e.same(f"time of the frame at {at}", time, ahead.get(thread, time))
        e2e.same(f"length of the frame at {at}", (words[2] & 0xFFFFFF) * 8, packet_bytes)
        ahead[thread] = time + 1
    e2e.same("threads", sorted(ahead), list(range(threads)))


options = ["--bytes", "30M", "--packet-size", "5032", "--block-size", "500k",
           "--frame-rate", "100", "--threads", "2"]
report, fragments = synth("a", *options, "--slow", "2/1:4")
naive = sgread.NaiveScan(fragments)
e2e.same("sha256", naive.sha256(), report["sha256"])
e2e.same("bytes", naive.size, report["bytes"])
e2e.same("blocks", naive.numbers, list(range(report["blocks"])))
check_frames(naive, 5032, 100, 2)
naive.close()
done = e2e.gather("-q", *fragments, "-")
e2e.same("gather: exit code", done.returncode, 0)
e2e.same("gather: sha256", hashlib.sha256(done.stdout).hexdigest(), report["sha256"])
sizes = {path.split("/disks/")[1][:3]: os.path.getsize(path) for path in fragments}
peers = sorted(size for label, size in sizes.items() if label != "2/1")
e2e.check(sizes["2/1"] < peers[0] * 0.7, f"the slow disk 2/1 has its full share: {sizes}")

e2e.same("the same command line again", synth("b", *options, "--slow", "2/1:4")[0]["sha256"],
         report["sha256"])
e2e.check(synth("c", *options, "--seed", "99")[0]["sha256"] != report["sha256"],
          "another seed, the same bytes")

report, fragments = synth("d", "--bytes", "20G", "--sparse")
taken = sum(os.stat(path).st_blocks * 512 for path in fragments)
e2e.check(sum(map(os.path.getsize, fragments)) > 19_900_000_000 and taken < 100_000_000,
          f"a sparse scan of 20 GB takes {taken} bytes")
e2e.same("sparse: bytes", sgread.NaiveScan(fragments).size, report["bytes"])
