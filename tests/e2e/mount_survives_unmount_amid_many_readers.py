# SPDX-License-Identifier: MIT
"""Unmounted (lazily, then by force) while several processes read: nobody hangs, nothing is wrong.

After a lazy unmount the open files go on to their ends; after a forced one reads may fail, but
never with wrong bytes; the daemon leaves in both cases (the runner looks).
"""
import multiprocessing
import os
import subprocess
import time

import e2e
import sgwrite

recording = sgwrite.write("r", sgwrite.Shape(packet_bytes=8032, packets_per_block=124, blocks=16))


def read_over_and_over(path, seconds, may_fail):
    """Reads and compares for `seconds`; exit code 1 for wrong bytes or an error not allowed."""
    end = time.monotonic() + seconds
    with open(path, "rb", buffering=0) as file:
        while time.monotonic() < end:
            at = file.tell()
            try:
                part = file.read(300_001)
            except OSError:
                os._exit(0 if may_fail else 1)
            if part != recording.flat[at:at + 300_001]:
                os._exit(1)
            if not part:
                file.seek(0)
    os._exit(0)


def run(unmount, may_fail):
    with e2e.Mount(recording.disk_glob) as mnt:
        readers = [multiprocessing.Process(target=read_over_and_over,
                                           args=(mnt.path(recording.scan), 2, may_fail))
                   for _ in range(4)]
        for reader in readers:
            reader.start()
        time.sleep(0.7)
        unmount(mnt.point)
        for reader in readers:
            reader.join(20)
            e2e.same("reader: exit code", reader.exitcode, 0)


multiprocessing.set_start_method("fork")
run(lambda point: e2e.unmount(point, lazy=True), may_fail=False)
if os.geteuid() == 0:
    # -f aborts the connection, -l takes the busy mount away.
    run(lambda point: subprocess.run(["umount", "-f", "-l", point], check=True), may_fail=True)
