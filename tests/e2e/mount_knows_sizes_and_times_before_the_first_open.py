# SPDX-License-Identifier: MIT
"""ls and stat are right before any scan was opened: names, exact sizes, times, kinds, links."""
import os
import stat
import subprocess

import e2e
import sgwrite

SHAPES = [
    sgwrite.Shape(scan="a_Xx_1.vdif", modules=2, disks=3, short={7: 2, 39: 9}),
    sgwrite.Shape(scan="b_Xx_2", modules=2, disks=3, start_seconds=7_000_001, missing=frozenset([3])),
    sgwrite.Shape(scan="c [x] *.vdif", modules=2, disks=3, version=1, blocks=1, short={0: 1},
                  packets_per_block=7),
]
written = [sgwrite.write("r", shape) for shape in SHAPES]
with e2e.Mount(os.path.join("r", "disks", "*", "*")) as mnt:
    listed = subprocess.run(["ls", "-l", "--time-style=+%s", mnt.point], stdout=subprocess.PIPE,
                            check=True, text=True).stdout.splitlines()[1:]
    for line, recording in zip(listed, sorted(written, key=lambda r: r.scan), strict=True):
        mode, _, _, _, size, time, name = line.split(maxsplit=6)
        e2e.same("ls -l", (mode, int(size), int(time), name),
                 ("-r--r--r--", len(recording.flat), recording.start_unix, recording.scan))
    for recording in written:
        status = os.stat(mnt.path(recording.scan))
        e2e.check(stat.S_ISREG(status.st_mode), f"{recording.scan} is no regular file")
        e2e.same("st_size", status.st_size, len(recording.flat))
        e2e.same("st_mtime", int(status.st_mtime), recording.start_unix)
        e2e.same("st_nlink", status.st_nlink, 1)
        e2e.same("st_blksize", status.st_blksize, e2e.MIB)
    e2e.check(not os.path.exists(mnt.path("nosuch.vdif")), "a scan that is on no disk exists")
    for recording in written:
        with open(mnt.path(recording.scan), "rb") as file:
            e2e.same("seek to the end", file.seek(0, os.SEEK_END), len(recording.flat))
            e2e.same("read at the end", file.read(10), b"")
            file.seek(len(recording.flat) + 12345)
            e2e.same("read behind the end", file.read(10), b"")
