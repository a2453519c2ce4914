# SPDX-License-Identifier: MIT
"""A process of the soak that does one operation after the other, and reports each.

Its place in shared memory says since when the operation runs (0: none), and on which mount.
"""
import os
import random
import signal
import time

import readers
import streams

# Which operation, and how often.
OPERATIONS = (["random preads"] * 5 + ["whole read"] * 3 + ["dd"] * 2 + ["mmap"] * 2 + ["look"] * 2
              + ["gather"] * 4)


class Place:
    """Shared with the main process."""

    def __init__(self, context):
        self.since = context.Value("d", 0.0)
        self.mount = context.Value("i", -1)
        self.what = context.Array("c", 200)


def work(number, seed, place, mounts, scans, stop, reports, directory):
    """Until `stop` is set. Reports (operation, outcome, bytes, sentence)."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)    # a shell in the background has it ignored
    dice = random.Random(f"{seed}/{number}")
    while not stop.is_set():
        operation = dice.choice(OPERATIONS)
        scan = dice.choice(scans)
        mount = None
        if operation != "gather":
            index = dice.randrange(len(mounts))
            place.mount.value = index
            mount = mounts[index]
            if mount.closed.value:              # seen after we said that we are there
                place.mount.value = -1
                time.sleep(0.05)
                continue
        place.what.value = f"{operation} of {scan.name}".encode()[:199]
        place.since.value = time.monotonic()
        reports.put(attempt(operation, scan, mount, dice, directory))
        place.since.value = 0.0
        place.mount.value = -1


def attempt(operation, scan, mount, dice, directory):
    epoch = mount.epoch.value if mount else 0
    try:
        return operation, "right", perform(operation, scan, mount, dice, directory), ""
    except readers.Wrong as wrong:
        return operation, "wrong", 0, str(wrong)
    except (OSError, readers.Broken) as error:
        # In order where the mount was taken away, and where the scan is damaged.
        disturbed = mount is not None and (epoch % 2 or mount.epoch.value != epoch)
        if disturbed or scan.may_fail:
            return operation, "no bytes", 0, ""
        return operation, "unexplained", 0, f"{operation} of {scan.name}: {error!r}"


def perform(operation, scan, mount, dice, directory):
    if operation == "gather":
        return streams.stream(scan, dice, directory)
    path = os.path.join(mount.point, scan.name)
    if operation == "random preads":
        return readers.random_preads(path, scan, dice)
    if operation == "whole read":
        return readers.whole_read(path, scan, dice)
    if operation == "dd":
        return readers.dd(path, scan, dice)
    if operation == "mmap":
        return readers.mapped(path, scan, dice, mount.shared)
    return readers.look_around(mount.point, scan, dice)
