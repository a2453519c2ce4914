# SPDX-License-Identifier: MIT
"""200 times open, read, close: the daemon has as many descriptors and threads as before."""
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

    def held():
        return len(os.listdir(f"{process}/fd")), len(os.listdir(f"{process}/task"))

    for _ in range(10):
        open_read_close(mnt.path(recording.scan))
    time.sleep(0.5)                                 # releases are asynchronous
    before = held()
    for _ in range(200):
        open_read_close(mnt.path(recording.scan))
    e2e.wait_until(lambda: held() <= before, 5, f"descriptors and threads grow from {before}")
