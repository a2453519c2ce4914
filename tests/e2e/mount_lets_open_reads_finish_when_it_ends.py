# SPDX-License-Identifier: MIT
"""SIGTERM and lazy unmount while files are read: the readers get every byte, then the daemon goes."""
import hashlib
import os
import signal
import subprocess

import e2e
import sgwrite

recording = sgwrite.write("r", sgwrite.Shape(packet_bytes=8032, packets_per_block=124, blocks=24,
                                             placement="random"))


def end_by_signal(mnt):
    mnt.process.send_signal(signal.SIGTERM)
    e2e.wait_until(lambda: not e2e.is_mounted(mnt.point), 5, "SIGTERM does not unmount")


def end_by_lazy_unmount(mnt):
    e2e.unmount(mnt.point, lazy=True)


for end in (end_by_signal, end_by_lazy_unmount):
    with e2e.Mount(recording.disk_glob, foreground=True) as mnt:
        files = [open(mnt.path(recording.scan), "rb", buffering=0) for _ in range(3)]
        digests = [hashlib.sha256() for _ in files]
        for file, digest in zip(files, digests):
            digest.update(file.read(3 * e2e.MIB + 5))
        busy = subprocess.run(["fusermount3", "-u", mnt.point], stderr=subprocess.DEVNULL, check=False)
        e2e.check(busy.returncode != 0, "a busy mount was taken down by fusermount3 -u")
        end(mnt)
        e2e.same("in the mount point afterwards", os.listdir(mnt.point), [])
        for file, digest in zip(files, digests):
            while part := file.read(e2e.MIB):
                digest.update(part)
            file.close()
            e2e.same(f"hash after {end.__name__}", digest.hexdigest(), recording.sha256)
