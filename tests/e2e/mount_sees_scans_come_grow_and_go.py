# SPDX-License-Identifier: MIT
"""No signal is needed for what changes in the modules: a new scan is found by its name, one that is
recorded has its new size at the next look, one that was replaced its new bytes. Who has a scan open
keeps it as it was. Names that are not there cause few looks, however often they are asked for.
"""
import os
import shutil
import time

import e2e
import sgwrite

PATIENCE = 30


def write(root, scan, blocks=40, seed=1):
    shape = sgwrite.Shape(scan=scan, blocks=blocks, seed=seed, packets_per_block=20)
    return sgwrite.write(root, shape)


def read(path):
    with open(path, "rb") as file:
        return file.read()


def soon_same(path, flat, what):
    """New bytes, or an error on the way: never others than `flat` once the size is right."""
    def has_come():
        try:
            return os.stat(path).st_size == len(flat)
        except OSError:
            return False
    e2e.wait_until(has_come, PATIENCE, f"{what}: no size of {len(flat)}")
    e2e.check(read(path) == flat, f"{what}: other bytes")


def cut(recording, share):
    """Takes the ends of all fragments away; what they were."""
    ends = []
    for path in recording.fragments:
        size = int(os.path.getsize(path) * share)
        with open(path, "rb") as file:
            file.seek(size)
            ends.append(file.read())
        os.truncate(path, size)
    return ends


def append(recording, ends):
    for path, end in zip(recording.fragments, ends):
        with open(path, "ab") as file:
            file.write(end)


def looks(log):
    with open(log, encoding="utf-8", errors="replace") as file:
        return file.read().count("looked again")


grows = write("r", "grows.vdif")
swapped = write("r", "swapped.vdif", seed=2)
ends = cut(grows, 0.4)
half = e2e.gather("-q", *grows.fragments, "-", timeout=60).stdout
e2e.check(0 < len(half) < len(grows.flat), "the test needs a shorter recording")

with open("log", "wb") as log:
    mount = e2e.Mount(grows.disk_glob, foreground=True, log=log)
    mount.command.append("-v")
    with mount as mnt:
        # A recording that goes on.
        path = mnt.path("grows.vdif")
        e2e.check(read(path) == half, "the beginning of a recording: other bytes")
        with open(path, "rb") as old:
            start = old.read(1000)
            append(grows, ends)
            soon_same(path, grows.flat, "a recording that went on")
            try:
                e2e.check(start + old.read() == half, "the old handle mixes bytes")
            except OSError:
                pass

        # A scan that comes, and is asked for by its name, with and without the suffix.
        comes = write("r", "comes.vdif", seed=3)
        e2e.wait_until(lambda: os.path.exists(mnt.path("comes.vdif")), PATIENCE, "no new scan")
        e2e.check(read(mnt.path("comes.vdif")) == comes.flat, "the new scan: other bytes")
        write("r", "listed.vdif", seed=4)
        e2e.wait_until(lambda: "listed.vdif" in os.listdir(mnt.point), PATIENCE, "not listed")

        # Other bytes under the same names, sizes and dates, as from another module.
        path = mnt.path("swapped.vdif")
        e2e.check(read(path) == swapped.flat, "before the swap: other bytes")
        other = write("other", "swapped.vdif", seed=5)
        for old_file, new_file in zip(swapped.fragments, other.fragments):
            shutil.copystat(old_file, new_file)
            os.rename(new_file, old_file)
        e2e.same("opened at once after the swap", read(path) == other.flat, True)

        # One that goes.
        for fragment in comes.fragments:
            os.remove(fragment)
        e2e.wait_until(lambda: not os.path.exists(mnt.path("comes.vdif")), PATIENCE, "still there")

        # Names that nobody has.
        time.sleep(1.1)
        before, begin = looks("log"), time.monotonic()
        e2e.check(before > 2, "the log does not tell of looks")
        while time.monotonic() < begin + 5:
            for name in (".Trash", ".Trash-0", ".hidden", "autorun.inf", "no such scan"):
                e2e.check(not os.path.exists(mnt.path(name)), f"{name} is there")
            time.sleep(0.02)
        took = time.monotonic() - begin
        e2e.check(looks("log") - before <= took + 1, f"{looks('log') - before} looks in {took} s")
