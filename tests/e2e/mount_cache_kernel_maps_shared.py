# SPDX-License-Identifier: MIT
"""-o cache=kernel: the same bytes, read and mapped, MAP_SHARED (numpy.memmap) included."""
import mmap
import hashlib

import e2e
import sgwrite

recording = sgwrite.write("r", sgwrite.Shape(packet_bytes=8032, packets_per_block=124, blocks=12,
                                             modules=2, placement="recorder"))
with e2e.Mount(recording.disk_glob, options=["cache=kernel"]) as mnt:
    scan = mnt.path(recording.scan)
    with open(scan, "rb") as file:
        for flags in (mmap.MAP_SHARED, mmap.MAP_PRIVATE):
            with mmap.mmap(file.fileno(), 0, flags=flags, prot=mmap.PROT_READ) as mapped:
                e2e.same("middle of the map", mapped[5_000_001:5_000_101],
                         recording.flat[5_000_001:5_000_101])
                e2e.same("hash of the map", hashlib.sha256(mapped).hexdigest(), recording.sha256)
    e2e.same("hash", e2e.hash_file(scan), recording.sha256)
    e2e.same("hash, read again from the cache", e2e.hash_file(scan, 4096), recording.sha256)
