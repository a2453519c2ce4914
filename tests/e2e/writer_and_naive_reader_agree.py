# SPDX-License-Identifier: MIT
"""The tests' own tools: what sgwrite.py lays down, sgread.py reads back, byte by byte.

Two independent sides of the format; a mistake in one of them must not pass for a fault of the
programs under test. One fragment is compared with bytes made by hand.
"""
import random
import struct

import e2e
import sgread
from sgwrite import PLACEMENTS, Shape, ranges, write

for number, placement in enumerate(PLACEMENTS * 2):
    shape = Shape(scan=f"s{number}", modules=2, disks=5, blocks=77, packet_bytes=5032, seed=number,
                  placement=placement, version=1 + number % 2, first=number * 100, short={76: 3})
    recording = write("r", shape)
    naive = sgread.NaiveScan(recording.fragments)
    e2e.same(f"{placement}: numbers", naive.numbers, list(range(shape.first, shape.first + 77)))
    e2e.same(f"{placement}: size", naive.size, (76 * 10 + 3) * 5032)
    e2e.same(f"{placement}: hash", naive.sha256(), recording.sha256)
    dice = random.Random(number)
    for _ in range(200):
        at, count = dice.randrange(naive.size), dice.randrange(200_000)
        e2e.check(naive.pread(count, at) == recording.flat[at:at + count], f"pread at {at}")
    naive.close()

tiny = write("tiny", Shape(disks=2, blocks=3, packet_bytes=64, packets_per_block=2, short={2: 1}))
flat = tiny.flat
with open(tiny.fragments[0], "rb") as file:
    e2e.same("fragment 1/0", file.read(),
             struct.pack("<IiiiI", 0xFEED6666, 2, 136, 0, 64) + struct.pack("<ii", 0, 136) +
             flat[:128] + struct.pack("<ii", 2, 72) + flat[256:])
e2e.same("second frame: seconds, frame in epoch 28, length 8 words",
         struct.unpack_from("<3I", flat, 64), (6_626_354, 28 << 24 | 1, 1 << 29 | 8))
holes = write("holes", Shape(blocks=20, missing=frozenset([0, 4, 5, 9, 19])))
e2e.same("missing ranges lie between the first and the last number", holes.missing, [[4, 5], [9, 9]])
e2e.same("ranges", ranges([9, 1, 2, 3, 7]), [[1, 3], [7, 7], [9, 9]])
