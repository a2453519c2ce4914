# SPDX-License-Identifier: MIT
"""A naive reader of healthy Mark6 scatter-gather recordings: the reference that tests compare with.

It walks every fragment header by header, sorts the blocks by number and reads with plain preads.
Slow and simple on purpose; it knows nothing of damage. `NaiveScan.pread` serves scans too large to
be held in memory.
"""
import bisect
import hashlib
import os
import struct

FILE_HEADER = struct.Struct("<IiiiI")


class NaiveScan:
    """The flat stream of the fragments `paths`."""

    def __init__(self, paths):
        self.descriptors = [os.open(path, os.O_RDONLY) for path in paths]
        blocks = sorted(block for fd in self.descriptors for block in walk(fd))
        self.numbers = [number for number, _, _, _ in blocks]
        self.places = [(fd, at, size) for _, fd, at, size in blocks]
        self.starts = []
        self.size = 0
        for _, _, size in self.places:
            self.starts.append(self.size)
            self.size += size

    def close(self):
        for fd in self.descriptors:
            os.close(fd)
        self.descriptors = []

    def pread(self, count, offset):
        """Up to `count` bytes at `offset`, as os.pread would give them from the flat file."""
        parts = []
        end = min(offset + count, self.size)
        index = bisect.bisect_right(self.starts, offset) - 1
        while offset < end:
            fd, at, size = self.places[index]
            skip = offset - self.starts[index]
            part = os.pread(fd, min(size - skip, end - offset), at + skip)
            parts.append(part)
            offset += len(part)
            index += 1
        return b"".join(parts)

    def sha256(self):
        digest = hashlib.sha256()
        for fd, at, size in self.places:
            digest.update(os.pread(fd, size, at))
        return digest.hexdigest()


def walk(fd):
    """Yields (number, fd, offset of the payload, bytes of the payload) of each block in a file."""
    size = os.fstat(fd).st_size
    sync, version, block_bytes, _, _ = FILE_HEADER.unpack(os.pread(fd, FILE_HEADER.size, 0))
    assert sync == 0xFEED6666, f"sync word {sync:#x}"
    at = FILE_HEADER.size
    while at < size:
        if version == 2:
            number, written = struct.unpack("<ii", os.pread(fd, 8, at))
            yield number, fd, at + 8, written - 8
            at += written
        else:
            number, = struct.unpack("<i", os.pread(fd, 4, at))
            yield number, fd, at + 4, min(block_bytes, size - at) - 4
            at += block_bytes
