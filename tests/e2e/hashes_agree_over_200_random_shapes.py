# SPDX-License-Identifier: MIT
"""200 recordings of random shapes, 20 to a mount: gather = mount = flat, sizes and times exact.

MARK6_SEED starts another series than the usual one.
"""
import os
import random
import shutil

import e2e
from sgwrite import PLACEMENTS, Shape, write

MOUNTS, SCANS = 10, 20
SEED = int(os.environ.get("MARK6_SEED", "6"))
dice = random.Random(SEED)


def random_shape(name, modules, disks):
    shape = Shape(scan=name, modules=modules, disks=disks, seed=dice.randrange(2**32),
                  packet_bytes=dice.choice((1032, 5032, 8032, 8224, 10032, 32 + 8 * dice.randint(1, 999))),
                  packets_per_block=dice.randint(1, 25), version=dice.choice((1, 2, 2, 2)),
                  blocks=dice.choice((1, 2, 3, dice.randint(4, 90))),
                  placement=dice.choice(PLACEMENTS), first=dice.choice((0, 0, dice.randrange(10**6))),
                  frames_per_second=dice.choice((25, 1000, 25_000)),
                  start_seconds=dice.randrange(15_000_000))
    if shape.version == 2:
        shape.short = {i: dice.randint(1, shape.packets_per_block)
                       for i in range(shape.blocks) if dice.random() < 0.1}
    else:
        shape.short = {shape.blocks - 1: dice.randint(1, shape.packets_per_block)}
    if dice.random() < 0.3:                         # some of them lack blocks
        shape.missing = frozenset(dice.sample(range(shape.blocks), dice.randrange(shape.blocks)))
    return shape


for group in range(MOUNTS):
    modules, disks = dice.randint(1, 6), dice.randint(1, 8)
    layout = dice.choice(("data", "flat", "symlink"))
    written = []
    for number in range(SCANS):
        shape = random_shape(f"exp{group}_Xx_no{number:04d}.vdif", modules, disks)
        shape.layout = layout
        shape.metadata = number == SCANS - 1        # once for all scans of the modules will do
        written.append((shape, write("r", shape)))
    with e2e.Mount(written[0][1].disk_glob) as mnt:
        for shape, recording in written:
            status = os.stat(mnt.path(recording.scan))
            what = f"seed {SEED}, {shape}"
            e2e.same(f"size of {what}", status.st_size, len(recording.flat))
            e2e.same(f"time of {what}", int(status.st_mtime), recording.start_unix)
            e2e.same(f"mount of {what}", e2e.hash_file(mnt.path(recording.scan)), recording.sha256)
            e2e.same(f"gather of {what}", e2e.gathered(recording, 1 if recording.missing else 0),
                     recording.sha256)
    shutil.rmtree("r")
