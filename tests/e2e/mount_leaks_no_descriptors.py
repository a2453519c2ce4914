# SPDX-License-Identifier: MIT
"""200 times open, read, close: the daemon has as many descriptors as before, and few threads."""
import os
import time

import e2e
import sgwrite

recording = sgwrite.write("r", sgwrite.Shape(packet_bytes=8032, blocks=60))


def open_read_close(path):
    with open(path, "rb", buffering=0) as file:
        e2e.same("first bytes", file.read(200_000), recording.flat[:200_000])
        file.seek(-5000, os.SEEK_END)
        e2e.same("last bytes", file.read(), recording.flat[-5000:])


with e2e.Mount(recording.disk_glob, foreground=True) as mnt:
    process = f"/proc/{mnt.process.pid}"

    def descriptors():
        return len(os.listdir(f"{process}/fd"))

    for _ in range(10):
        open_read_close(mnt.path(recording.scan))
    time.sleep(0.5)                                 # releases are asynchronous
    before = descriptors()
    for _ in range(200):
        open_read_close(mnt.path(recording.scan))
    e2e.wait_until(lambda: descriptors() <= before, 5, f"descriptors grow from {before}")
    # Workers of libfuse and of io_uring come and go; a thread per open would be 200 more.
    threads = len(os.listdir(f"{process}/task"))
    e2e.check(threads < 50, f"{threads} threads")
