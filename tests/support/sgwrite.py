#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Writes small Mark6 scatter-gather recordings for the end-to-end tests, and knows their flat bytes.

An independent second opinion: it shares no code with the programs under test. A `Shape` says what
the recording looks like; `write()` lays its fragments below a directory as they lie on a Mark6
(disks/M/D/data/SCAN, disks/.meta/M/D/...) and returns a `Recording` with the flat stream that a
reader must deliver. Everything depends on the shape alone, its seed included.

As a program: sgwrite.py ROOT [--FIELD VALUE]... [--flat FILE]  prints "<sha256> <bytes>".
"""
import argparse
import calendar
import dataclasses
import hashlib
import math
import os
import random
import struct
from dataclasses import dataclass, field

SYNC_WORD = 0xFEED6666
VDIF_EPOCH = 28                                     # half-years since 2000: 2014-01-01
EPOCH_UNIX = calendar.timegm((2014, 1, 1, 0, 0, 0))
PLACEMENTS = ("round-robin", "random", "unbalanced", "recorder")
LAYOUTS = ("data", "flat", "symlink")


@dataclass
class Shape:
    """What a recording looks like. `disks` is per module; block indices count from 0 (not `first`)."""
    scan: str = "exp1_Xx_no0001.vdif"
    modules: int = 1
    disks: int = 4
    packet_bytes: int = 1032
    packets_per_block: int = 10
    blocks: int = 40
    version: int = 2
    packet_format: int = 0
    placement: str = "round-robin"
    layout: str = "data"
    first: int = 0                                  # number of the first block
    seed: int = 1
    frames_per_second: int = 100
    start_seconds: int = 6_626_354                  # since the VDIF epoch
    metadata: bool = True
    short: dict = field(default_factory=dict)       # block index -> packets in it
    missing: frozenset = frozenset()                # block indices that were never written
    missing_disks: frozenset = frozenset()          # "M/D" without a fragment


@dataclass
class Recording:
    """What was written: `missing` are ranges of block numbers, as `mark6 list --json` gives them."""
    root: str
    scan: str
    flat: bytes
    fragments: list
    blocks: int
    missing: list
    start_unix: int

    @property
    def sha256(self):
        return hashlib.sha256(self.flat).hexdigest()

    @property
    def disk_glob(self):
        return os.path.join(self.root, "disks", "*", "*")


def ranges(numbers):
    """[3, 4, 5, 9] -> [[3, 5], [9, 9]]"""
    found = []
    for number in sorted(numbers):
        if found and number == found[-1][1] + 1:
            found[-1][1] = number
        else:
            found.append([number, number])
    return found


def vdif_header(shape, frame):
    """The 32 bytes before the samples of frame `frame` of a recording with one thread."""
    second, number = divmod(frame, shape.frames_per_second)
    return struct.pack("<8I", shape.start_seconds + second, VDIF_EPOCH << 24 | number,
                       shape.packet_bytes // 8 | 1 << 29, 1 << 26 | 0x5878, 0, 0, 0, 0)


def payloads(shape):
    """The payload of each block in turn: valid VDIF headers, random samples."""
    dice = random.Random(shape.seed)
    frame = 0
    for index in range(shape.blocks):
        packets = shape.short.get(index, shape.packets_per_block)
        payload = bytearray(dice.randbytes(packets * shape.packet_bytes))
        for at in range(0, len(payload), shape.packet_bytes):
            payload[at:at + 32] = vdif_header(shape, frame)
            frame += 1
        yield bytes(payload)


def recorder_order(shape, places, dice):
    """Places as the recorder chooses: of the idle disks, the one with the fewest blocks so far."""
    idle_at = [0.0] * len(places)
    written = [0] * len(places)
    now = 0.0
    for _ in range(shape.blocks):
        now = max(now + 1.0 / len(places), min(idle_at))
        chosen = min((i for i, t in enumerate(idle_at) if t <= now), key=lambda i: written[i])
        idle_at[chosen] = now + 0.8 * math.exp(dice.gauss(0.0, 0.4))
        written[chosen] += 1
        yield places[chosen]


def placed(shape):
    """For each block in turn, the (module, disk) it is written to."""
    places = [(m, d) for m in range(1, shape.modules + 1) for d in range(shape.disks)]
    dice = random.Random(shape.seed ^ 0x9E3779B9)
    if shape.placement == "round-robin":
        return [places[i % len(places)] for i in range(shape.blocks)]
    if shape.placement == "random":
        return [dice.choice(places) for _ in range(shape.blocks)]
    if shape.placement == "unbalanced":             # each disk gets half of what is left
        weights = [0.5 ** min(i, 20) for i in range(len(places))]
        return dice.choices(places, weights, k=shape.blocks)
    if shape.placement == "recorder":
        return list(recorder_order(shape, places, dice))
    raise ValueError(f"placement {shape.placement!r}; expected one of {PLACEMENTS}")


def fragment_bytes(shape, blocks):
    """One SG file holding `blocks`, a list of (number, payload)."""
    header_bytes = 8 if shape.version == 2 else 4
    full = shape.packets_per_block * shape.packet_bytes
    parts = [struct.pack("<IiIII", SYNC_WORD, shape.version, header_bytes + full,
                         shape.packet_format, shape.packet_bytes)]
    for position, (number, payload) in enumerate(blocks):
        if shape.version == 2:
            parts.append(struct.pack("<ii", number, header_bytes + len(payload)))
        elif len(payload) == full or position == len(blocks) - 1:
            parts.append(struct.pack("<i", number))
        else:
            raise ValueError(f"block {number}: version 1 has short blocks only at a file's end")
        parts.append(payload)
    return b"".join(parts)


def put(path, data):
    os.makedirs(os.path.dirname(path), exist_ok=True)
    if os.path.exists(path):                        # ext4 flushes a file that is written anew
        os.unlink(path)
    with open(path, "wb") as file:
        file.write(data)


def forget(path):
    """Has the kernel let go of the file's pages, so that readers come to the disk for it."""
    with open(path, "rb") as file:
        os.fdatasync(file.fileno())                 # dirty pages stay
        os.posix_fadvise(file.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)


def place_fragment(root, shape, module, disk, data):
    """Writes one fragment in the shape's layout and returns its path as a reader sees it."""
    folder = os.path.join(root, "disks", str(module), str(disk))
    if shape.layout != "flat":
        folder = os.path.join(folder, "data")
    path = os.path.join(folder, shape.scan)
    if shape.layout == "symlink":
        target = os.path.join(root, "store", f"m{module}d{disk}", shape.scan)
        put(target, data)
        os.makedirs(folder, exist_ok=True)
        os.symlink(os.path.relpath(target, folder), path)
    else:
        put(path, data)
    return path


def write_metadata(root, shape, size):
    """eMSN, group, disk_sn, state and slist of every disk; scans already listed are kept."""
    serials = [f"E2E%{m:04d}/8000/4/{shape.disks}" for m in range(1, shape.modules + 1)]
    entry = {"status": "recorded", "num_str": 1, "start_tm": EPOCH_UNIX + shape.start_seconds,
             "create_time": "2014y077d16h39m14s", "sn": shape.scan.removesuffix(".vdif"),
             "dur": 1, "spc": 0, "size": f"{size / 1e9:.3f}"}
    for module in range(1, shape.modules + 1):
        for disk in range(shape.disks):
            folder = os.path.join(root, "disks", ".meta", str(module), str(disk))
            os.makedirs(folder, exist_ok=True)
            listed = os.path.join(folder, "slist")
            lines = ""
            if os.path.exists(listed):
                with open(listed, encoding="utf-8") as file:
                    lines = file.read()[1:-1] + ", "
            number = lines.count("'sn'") + 1
            numbers = "".join(f"{d}:E2E{module}{d}\n" for d in range(shape.disks))
            for name, text in (("eMSN", serials[module - 1]), ("disk_sn", numbers),
                               ("group", f"{shape.modules}:" + ":".join(serials)),
                               ("state", "recorded"), ("slist", f"{{{lines}{number}: {entry}}}")):
                put(os.path.join(folder, name), text.encode())


def write(root, shape):
    """Lays the recording below `root`. Other scans may lie there already."""
    on_disk = {(m, d): [] for m in range(1, shape.modules + 1) for d in range(shape.disks)}
    delivered = []
    for index, (payload, place) in enumerate(zip(payloads(shape), placed(shape))):
        if index in shape.missing:
            continue
        on_disk[place].append((shape.first + index, payload))
        if "%d/%d" % place not in shape.missing_disks:
            delivered.append((shape.first + index, payload))
    fragments = [place_fragment(root, shape, *place, fragment_bytes(shape, blocks))
                 for place, blocks in on_disk.items()
                 if "%d/%d" % place not in shape.missing_disks]
    for path in fragments[::2]:                     # the others are read from memory
        forget(path)
    flat = b"".join(payload for _, payload in delivered)
    if shape.metadata:
        write_metadata(root, shape, len(flat))
    numbers = {number for number, _ in delivered}
    gaps = ranges(n for n in range(min(numbers), max(numbers)) if n not in numbers)
    # The time stamp of the first frame delivered (all our frames are valid).
    start_unix = EPOCH_UNIX + struct.unpack_from("<I", flat)[0]
    return Recording(root, shape.scan, flat, fragments, len(delivered), gaps, start_unix)


def shape_from(arguments):
    """A Shape from parsed command-line arguments."""
    values = {f.name: getattr(arguments, f.name) for f in dataclasses.fields(Shape)}
    values["short"] = dict(tuple(map(int, pair.split(":"))) for pair in values["short"])
    values["missing"] = frozenset(map(int, values["missing"]))
    values["missing_disks"] = frozenset(values["missing_disks"])
    return Shape(**values)


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("root")
    parser.add_argument("--flat", help="write the flat stream to this file")
    for item in dataclasses.fields(Shape):
        option = "--" + item.name.replace("_", "-")
        if item.name in ("short", "missing", "missing_disks"):
            parser.add_argument(option, action="append", default=[],
                                metavar="INDEX:PACKETS" if item.name == "short" else None)
        elif item.type in (bool, "bool"):
            parser.add_argument(option, action=argparse.BooleanOptionalAction, default=True)
        else:
            parser.add_argument(option, type=type(item.default), default=item.default)
    arguments = parser.parse_args()
    recording = write(arguments.root, shape_from(arguments))
    if arguments.flat:
        put(os.path.abspath(arguments.flat), recording.flat)
    print(recording.sha256, len(recording.flat))


if __name__ == "__main__":
    main()
