# SPDX-License-Identifier: MIT
"""What a Python script does with a scan: buffered reads, random seeks, readinto, MAP_PRIVATE."""
import hashlib
import mmap
import os
import random

import e2e
import sgwrite

recording = sgwrite.write("r", sgwrite.Shape(packet_bytes=5032, packets_per_block=200, blocks=20))
dice = random.Random(7)
with e2e.Mount(recording.disk_glob) as mnt, open(mnt.path(recording.scan), "rb") as file:
    e2e.check(file.read() == recording.flat, "read() of the whole file")
    for _ in range(500):
        at, count = dice.randrange(len(recording.flat)), dice.randrange(1, 30_000)
        file.seek(at)
        e2e.check(file.read(count) == recording.flat[at:at + count], f"seek {at}, read {count}")
    buffer = bytearray(3 * e2e.MIB)
    file.seek(1)
    e2e.same("readinto", file.readinto(buffer), len(buffer))
    e2e.check(buffer == recording.flat[1:1 + len(buffer)], "bytes of readinto")
    with mmap.mmap(file.fileno(), 0, flags=mmap.MAP_PRIVATE, prot=mmap.PROT_READ) as mapped:
        for at in (0, 4095, 1_006_400, len(recording.flat) - 9):
            e2e.same(f"map at {at}", mapped[at:at + 9], recording.flat[at:at + 9])
        e2e.same("hash of the map", hashlib.sha256(mapped).hexdigest(), recording.sha256)
    with open("sink", "wb") as sink:                # shutil.copyfile does this
        file.seek(0)
        while os.sendfile(sink.fileno(), file.fileno(), None, 8 * e2e.MIB):
            pass
    e2e.same("sendfile", e2e.hash_file("sink"), recording.sha256)
