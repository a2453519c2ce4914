# SPDX-License-Identifier: MIT
"""Threads and processes read the same scan and different scans at once, in order and at random."""
import concurrent.futures
import hashlib
import os
import random

import e2e
import sgwrite

written = [sgwrite.write("r", sgwrite.Shape(scan=f"s_Xx_{n}.vdif", seed=n, packet_bytes=8032,
                                            packets_per_block=124, blocks=8, modules=2,
                                            placement="recorder"))
           for n in range(3)]
expected = {recording.scan: recording.sha256 for recording in written}


def hash_of(path):
    return os.path.basename(path), e2e.hash_file(path)


def hash_from_both_ends(path):
    """Two interleaved sequential readers on one descriptor, put together at the end."""
    fd = os.open(path, os.O_RDONLY)
    size = os.fstat(fd).st_size
    half = size // 2
    parts = {}
    for at in range(0, half, 100_000):
        for start, end in ((at, min(at + 100_000, half)), (half + at, min(half + at + 100_000, size))):
            parts[start] = os.pread(fd, end - start, start)
    if size % 2:
        parts[size - 1] = os.pread(fd, 1, size - 1)
    os.close(fd)
    return os.path.basename(path), hashlib.sha256(b"".join(parts[k] for k in sorted(parts))).hexdigest()


def preads(path, seed):
    flat = next(r.flat for r in written if r.scan == os.path.basename(path))
    dice = random.Random(seed)
    with open(path, "rb", buffering=0) as file:
        for _ in range(200):
            at = dice.randrange(len(flat))
            if os.pread(file.fileno(), 20_000, at) != flat[at:at + 20_000]:
                return path, f"wrong at {at} (seed {seed})"
    return os.path.basename(path), expected[os.path.basename(path)]


with e2e.Mount(written[0].disk_glob) as mnt:
    paths = [mnt.path(recording.scan) for recording in written]
    for pool in (concurrent.futures.ThreadPoolExecutor(8), concurrent.futures.ProcessPoolExecutor(6)):
        with pool:
            jobs = [pool.submit(hash_of, path) for path in paths * 2]
            jobs += [pool.submit(hash_of, paths[0]) for _ in range(4)]
            jobs += [pool.submit(hash_from_both_ends, path) for path in paths]
            jobs += [pool.submit(preads, path, seed) for seed, path in enumerate(paths)]
            for job in jobs:
                name, digest = job.result(timeout=100)
                e2e.same(name, digest, expected[name])
