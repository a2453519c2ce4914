# SPDX-License-Identifier: MIT
"""A sparse scan of 10 GiB, fragments beyond 4 GiB each: sizes, preads and streams far out."""
import os
import random
import struct

import e2e
import sgread
import sgwrite

PACKET, PER_BLOCK, BLOCKS, DISKS = 8032, 1245, 1080, 2
SHAPE = sgwrite.Shape(packet_bytes=PACKET)


def write_sparse(path, numbers):
    """A fragment whose blocks hold a VDIF header and a mark at their ends, and holes between."""
    payload = PACKET * PER_BLOCK
    with open(path, "wb") as file:
        file.write(struct.pack("<IiIII", sgwrite.SYNC_WORD, 2, 8 + payload, 0, PACKET))
        for number in numbers:
            start = file.tell()
            file.write(struct.pack("<ii", number, 8 + payload))
            file.write(sgwrite.vdif_header(SHAPE, number * PER_BLOCK))
            file.write(struct.pack("<Q", number) * 500)
            file.seek(start + 8 + payload - 4000)
            file.write(struct.pack("<Q", ~number & 2**64 - 1) * 500)


fragments = []
for disk in range(DISKS):
    os.makedirs(f"r/disks/1/{disk}/data")
    fragments.append(os.path.abspath(f"r/disks/1/{disk}/data/big_Xx_1.vdif"))
    write_sparse(fragments[-1], range(disk, BLOCKS, DISKS))
naive = sgread.NaiveScan(fragments)
e2e.check(naive.size > 10 * 2**30 and os.path.getsize(fragments[0]) > 2**32, "too small to tell")

dice = random.Random(1)
block = PACKET * PER_BLOCK
seams = [2**31, 2**32, 2**33, naive.size, 1079 * block, 430 * block, 2**32 + 2**31]
offsets = [max(0, seam + dice.randint(-9000, 9000)) for seam in seams for _ in range(20)]
offsets += [dice.randrange(BLOCKS) * block - dice.randrange(4000) for _ in range(100)]
with e2e.Mount("r/disks/*/*") as mnt:
    path = mnt.path("big_Xx_1.vdif")
    e2e.same("st_size", os.stat(path).st_size, naive.size)
    fd = os.open(path, os.O_RDONLY)
    for offset in map(lambda at: max(0, at), offsets):
        for count in (100, 20_000):
            e2e.check(os.pread(fd, count, offset) == naive.pread(count, offset),
                      f"pread({count}, {offset}) is wrong")
    # In order, long enough for the prefetch to work, over 2^32 and up to the end.
    for start in (2**32 - 20 * e2e.MIB, naive.size - 40 * e2e.MIB):
        for at in range(start, min(start + 45 * e2e.MIB, naive.size), e2e.MIB):
            e2e.check(os.pread(fd, e2e.MIB, at) == naive.pread(e2e.MIB, at), f"wrong at {at}")
    os.close(fd)
for skip in (2**32 - 1_000_000, naive.size - 3_000_000):
    done = e2e.gather("-q", "--skip", str(skip), "--bytes", "3000000", *fragments, "-")
    e2e.same(f"gather from {skip}: exit code", done.returncode, 0)
    e2e.check(done.stdout == naive.pread(3_000_000, skip), f"gather from {skip} is wrong")
naive.close()
