# SPDX-License-Identifier: MIT
"""gather = mount = flat for each named shape: packet sizes, disks, placements, blocks, layouts."""
import os
import shutil

import e2e
from sgwrite import Shape, write

SHORT_ANYWHERE = {0: 1, 5: 9, 6: 9, 7: 1, 20: 4, 58: 3, 59: 10}
SHAPES = {
    "packets of 1032": Shape(packet_bytes=1032, packets_per_block=300),
    "packets of 5032": Shape(packet_bytes=5032, packets_per_block=60),
    "packets of 8032": Shape(packet_bytes=8032, packets_per_block=124),
    "packets of 8224": Shape(packet_bytes=8224, packets_per_block=120),
    "packets of 10032": Shape(packet_bytes=10032, packets_per_block=90),
    "blocks of 10 MB": Shape(packet_bytes=8032, packets_per_block=1245, blocks=5),
    "one packet per block": Shape(packets_per_block=1, blocks=500),
    "one disk": Shape(disks=1),
    "two modules of eight": Shape(modules=2, disks=8, blocks=200, placement="recorder"),
    "four modules of eight": Shape(modules=4, disks=8, blocks=100, placement="random"),
    "six modules of six": Shape(modules=6, disks=6, blocks=150, placement="recorder"),
    "32 disks of one module": Shape(disks=32, blocks=111, placement="random"),
    "random placement": Shape(placement="random", disks=7, blocks=200),
    "unbalanced placement": Shape(placement="unbalanced", disks=8, blocks=200),
    "placement of the recorder": Shape(placement="recorder", disks=8, blocks=200),
    "short blocks anywhere": Shape(short=SHORT_ANYWHERE, blocks=60, placement="random"),
    "version 1": Shape(version=1, blocks=55, placement="random", disks=5),
    "version 1, short at the end": Shape(version=1, blocks=55, short={54: 1}),
    "one block": Shape(blocks=1),
    "one short block": Shape(blocks=1, short={0: 1}),
    "fewer blocks than disks": Shape(blocks=3, disks=8, modules=2),
    "first number 1000": Shape(first=1000),
    "first number near 2^31": Shape(first=2**31 - 41),
    "fragments without data/": Shape(layout="flat"),
    "symbolic links": Shape(layout="symlink", metadata=False),
    "no metadata": Shape(metadata=False),
    "no suffix": Shape(scan="BB407A_LA_No0001"),
    "brackets, star and space": Shape(scan="e1.2 (t*st)_Xx_no[1].vdif"),
    "quotes, backslash, dollar": Shape(scan="a'b\"c\\d$e`f_1.vdif"),
    "a name not in UTF-8": Shape(scan=os.fsdecode(b"caf\xe9_Xx_1.vdif"), metadata=False),
    "a name with a new line": Shape(scan="two\nlines.vdif", metadata=False),
    "missing blocks": Shape(missing=frozenset([0, 3, 4, 5, 17, 39])),
    "a missing disk": Shape(missing_disks=frozenset(["1/2"]), placement="random"),
}

for number, (what, shape) in enumerate(SHAPES.items()):
    shape.seed = number
    recording = write("r", shape)
    code = 1 if recording.missing else 0
    e2e.same(f"gather: {what}", e2e.gathered(recording, code), recording.sha256)
    with e2e.Mount(recording.disk_glob) as mnt:
        e2e.same(f"size: {what}", os.stat(mnt.path(recording.scan)).st_size, len(recording.flat))
        e2e.same(f"mount: {what}", e2e.hash_file(mnt.path(recording.scan)), recording.sha256)
    shutil.rmtree("r")
