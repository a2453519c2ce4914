# SPDX-License-Identifier: MIT
"""12 000 preads at random places and of random sizes, across block ends and the end of the file."""
import os
import random

import e2e
import sgwrite

SEED = 20140318
SHAPES = [
    sgwrite.Shape(scan="small_blocks.vdif", packets_per_block=3, blocks=900, placement="random",
                  short={i: 1 + i % 3 for i in range(0, 900, 7)}),
    sgwrite.Shape(scan="large_blocks.vdif", packet_bytes=8032, packets_per_block=500, blocks=7),
]
dice = random.Random(SEED)


def place(size):
    """An offset and a count; one in four at a seam or the end, where mistakes live."""
    count = dice.choice((1, 7, 512, 1032, 4096, 10_320, 65_536, 200_000))
    if dice.random() < 0.25:
        seam = dice.choice((0, 3096, 4096, 131_072, e2e.MIB, 4_016_000, size))
        return max(0, seam + dice.randint(-5, 5)), count
    return dice.randrange(size + 100), count


def check_preads(path, flat, rounds):
    fd = os.open(path, os.O_RDONLY)
    for _ in range(rounds):
        offset, count = place(len(flat))
        if os.pread(fd, count, offset) != flat[offset:offset + count]:
            e2e.fail(f"{path}: pread({count}, {offset}) is wrong (seed {SEED})")
    os.close(fd)


written = [sgwrite.write("r", shape) for shape in SHAPES]
with e2e.Mount(written[0].disk_glob) as mnt:
    for recording in written:
        check_preads(mnt.path(recording.scan), recording.flat, 6000)
