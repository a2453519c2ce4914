# SPDX-License-Identifier: MIT
"""A mount of more than 200 files that no recorder wrote: every name can be looked at and read or is
refused with an error, in little time and memory, and the mount still serves a healthy scan."""
import os
import time

import e2e
import hostile

hostile.make("r")
with e2e.Mount(os.path.abspath("r/disks/1/*"), foreground=True) as mount:
    root = os.fsencode(mount.point)
    readable = refused = 0
    for name in sorted(os.listdir(root)):
        path = os.path.join(root, name)
        start = time.monotonic()
        try:
            size = os.stat(path).st_size
            fd = os.open(path, os.O_RDONLY)
        except OSError:
            refused += 1
            continue
        for offset in (0, 1, size // 2, max(size - 100, 0), size, 1 << 62):
            try:
                e2e.check(len(os.pread(fd, 20_000, offset)) <= max(size - offset, 0),
                          f"{name}: more than its size at {offset}")
            except OSError:
                refused += 1
        os.close(fd)
        readable += 1
        seconds = time.monotonic() - start
        e2e.check(seconds < 10, f"{name}: {seconds:.1f} s")
    e2e.check(readable > 100, f"only {readable} names can be read, {refused} requests were refused")
    with open(mount.path("every_block_everywhere"), "rb") as file:
        e2e.same("a healthy scan amid the others", len(file.read()), 6 * hostile.FULL)
    with open(f"/proc/{mount.process.pid}/status", encoding="ascii") as file:
        peak_kib, = (int(line.split()[1]) for line in file if line.startswith("VmHWM"))
    e2e.check(peak_kib < 512 << 10, f"mark6fs took {peak_kib} KiB")
