# SPDX-License-Identifier: MIT
"""What a scan may look like while one of its fragments is away or cut, and whether bytes fit that.

A reader that opens a scan with a fragment missing or cut gets the rest, closed up: so many bytes
less than the whole, all of them from the end of what that fragment holds. The size a reader sees
thus tells how much is missing, and the bytes tell from which fragment.
"""
import bisect
import mmap

import sgread


class Scan:
    """A recording as it was made: its flat bytes and where its blocks lie."""

    def __init__(self, name, packet_bytes, fragments, flat_path, troubled=False):
        self.name = name
        self.packet_bytes = packet_bytes
        self.fragments = fragments
        self.troubled = troubled                # fragments of it come and go
        self.spoilt = "spoilt" in name          # made with damage: skips and errors are in order
        self.holes = "holes" in name            # made without some blocks
        with open(flat_path, "rb") as file:
            self.flat = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
        self.size = len(self.flat)
        self.blocks = []                        # (fragment, flat offset, bytes), in flat order
        reader = sgread.NaiveScan(fragments)
        which = {fd: index for index, fd in enumerate(reader.descriptors)}
        for (fd, _, size), start in zip(reader.places, reader.starts):
            self.blocks.append((which[fd], start, size))
        reader.close()

    @property
    def may_fail(self):
        return self.troubled or self.spoilt

    def views(self, size):
        """All views of this size; none when nothing explains it."""
        lost = self.size - size
        if lost == 0:
            return [View(self, ())]
        if lost < 0 or lost % self.packet_bytes or not self.may_fail:
            return []
        found = [View(self, cut) for f in range(len(self.fragments)) if (cut := self.cut(f, lost))]
        if self.spoilt:                         # any one block of it may be the one left out
            found += [View(self, ((start, start + bytes_),))
                      for _, start, bytes_ in self.blocks if bytes_ == lost]
        return found

    def cut(self, fragment, lost):
        """Flat ranges of the last `lost` bytes of a fragment; nothing when it holds less."""
        ranges = []
        for owner, start, size in reversed(self.blocks):
            if owner == fragment and lost:
                taken = min(lost, size)
                ranges.append((start + size - taken, start + size))
                lost -= taken
        return () if lost else tuple(reversed(ranges))

    def is_made_of_its_packets(self, data):
        """True when `data` is a row of this scan's packets in their order, some left out."""
        if len(data) % self.packet_bytes:
            return False
        at = expected = 0
        while at < len(data):
            run = self.packet_bytes
            if data[at:at + run] != self.flat[expected:expected + run]:
                expected = self.find_packet(data[at:at + run], expected)
                if expected < 0:
                    return False
            at += run
            expected += run
        return True

    def find_packet(self, packet, start):
        while (found := self.flat.find(packet, start)) >= 0:
            if found % self.packet_bytes == 0:
                return found
            start = found + 1
        return -1


class View:
    """The flat bytes of a scan without some ranges of it."""

    def __init__(self, scan, without):
        self.scan = scan
        self.starts, self.places = [], []       # of what is kept: offset here, (from, to) there
        at = position = 0
        for begin, end in (*without, (scan.size, scan.size)):
            if begin > position:
                self.starts.append(at)
                self.places.append((position, begin))
                at += begin - position
            position = end
        self.size = at

    def read(self, count, offset):
        """As pread of the file that has this view."""
        end = min(offset + count, self.size)
        parts = []
        index = bisect.bisect_right(self.starts, offset) - 1
        while offset < end:
            begin, stop = self.places[index]
            start = begin + offset - self.starts[index]
            part = self.scan.flat[start:min(stop, start + end - offset)]
            parts.append(part)
            offset += len(part)
            index += 1
        return b"".join(parts)


class Expectation:
    """The views that all bytes read through one descriptor have fitted so far."""

    def __init__(self, scan, size):
        self.scan, self.size = scan, size
        self.views = scan.views(size)
        self.compared = 0

    def fits(self, data, count, offset):
        """Whether `data`, the answer to a read of `count` at `offset`, is what a view has there."""
        self.views = [view for view in self.views if view.read(count, offset) == data]
        self.compared += len(data)
        return bool(self.views)
