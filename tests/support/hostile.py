# SPDX-License-Identifier: MIT
"""Recordings and metadata that no recorder wrote, or that went through the worst: more than 200 files.

`make(root)` lays them below root/disks/1/D/data and root/disks/.meta/1/D and returns their paths as
bytes. Everything is generated, the same on each run.
"""
import os
import random
import socket
import struct

PACKET = 64
PACKETS = 5
FULL = PACKET * PACKETS
INT_MAX = 2**31 - 1
INT_MIN = -2**31
TIB = 1 << 40

NAMES = [
    b"\x1b[31mred\x1b[0m", b"\x1b]0;title\x07", b"new\nline", b"carriage\rreturn", b"tab\tbell\x07",
    b"\xff\xfe\xfd", b"half\xc3", b"\xc2\x9b31m_c1", b"\xed\xa0\x80surrogate", b"\xe2\x80\xaeltr",
    b"..two_dots", b"...", b"..%2f..%2fetc", b"back\\slash\\x1b", b"'; rm -rf x; '", b"$(x)`x`", b"-rf",
    b"--help", b"[a-z]*?{x,y}", b" ", b"del\x7f", b"n" * 255, b"\x01" * 255, "\u00e9".encode() * 127,
    b"%s%n%x", b"a.vdif.vdif", b".vdif", b"{}{0}{:>999999999}", b"lost+found", b"cull",
]


def header(version=2, block_size=FULL + 8, packet_format=0, packet_size=PACKET, sync=0xFEED6666):
    return struct.pack("<Iiiii", sync, version, block_size, packet_format, packet_size)


def frames(first, count=PACKETS):
    return b"".join(
        struct.pack("<8I", 6_800_000 + (first + i) // 100, 30 << 24 | (first + i) % 100, PACKET // 8,
                    1 << 26 | 0x7453, 0, 0, 0, 0) + random.Random(first + i).randbytes(PACKET - 32)
        for i in range(count))


def block(number, wb_size=FULL + 8):
    return struct.pack("<ii", number, wb_size) + frames(number % 1000 * PACKETS)


def healthy(numbers=range(6)):
    return header() + b"".join(map(block, numbers))


def header_fields():
    """Every version with every block size with every packet size."""
    for version in (1, 2):
        for block_size in (0, -1, 4, 5, 8, 9, FULL + 8, 1 << 30, INT_MAX, INT_MIN):
            for packet in (0, -1, 1, PACKET, INT_MAX, INT_MIN):
                body = b"".join(map(block, range(4)))
                yield (f"header_{version}_{block_size}_{packet}",
                       header(version, block_size, 0, packet) + body)
    for version in (0, 3, -1, INT_MAX, INT_MIN):
        yield f"version_{version}", header(version) + block(0)
    yield "sync_swapped", header(sync=0x6666EDFE) + block(0)


def block_headers():
    for place in (0, 2, 5):
        for wb_size in (0, 1, 7, 8, 9, -1, FULL + 9, 1 << 30, INT_MAX, INT_MIN):
            yield f"length_{wb_size}_at_{place}", header() + b"".join(
                block(n, wb_size if n == place else FULL + 8) for n in range(6))
        for number in (-1, INT_MIN, INT_MAX, (1 << 20) + 7, 3):
            yield f"number_{number}_at_{place}", header() + b"".join(
                block(number if n == place else n) for n in range(6))
    yield "all_the_same_number", healthy([7] * 50)
    yield "backwards", healthy(range(50, 0, -1))


def cut_files():
    whole = healthy()
    for size in (0, 1, 3, 4, 19, 20, 21, 24, 27, 28, 29, 60, 92, 347, 348, 349, 352, 356, 420, 1000):
        yield f"cut_at_{size}", whole[:size]


def mutations():
    for seed in range(60):
        dice = random.Random(seed)
        data = bytearray(healthy(range(0, 30, 1 + seed % 3)))
        for _ in range(1 + seed % 20):
            starts = [20 + n * (FULL + 8) + dice.randrange(8) for n in range(9)]
            at = dice.choice([dice.randrange(len(data)), dice.randrange(20), *starts])
            data[at % len(data)] = dice.choice([0, 1, 8, 0x7f, 0x80, 0xff, dice.randrange(256)])
        if seed % 4 == 0:
            del data[dice.randrange(len(data)):]
        if seed % 7 == 0:
            at = dice.randrange(len(data) + 1)
            data[at:at] = dice.randbytes(dice.randrange(500))
        yield f"mutated_{seed}", bytes(data)
    for seed in range(5):
        yield f"noise_{seed}", random.Random(seed).randbytes(5000)


def many_blocks():
    """A million blocks of a byte; of nothing; all of one number."""
    tiny = struct.Struct("<iiB")
    yield "million_tiny", header(2, 10, 0, 1) + b"".join(
        tiny.pack(n, 9, 1) for n in range(1_000_000))
    yield "million_empty", header(2, 1 << 30, 0, 0) + b"".join(
        struct.pack("<ii", n, 8) for n in range(1_000_000))
    yield "many_the_same", header(2, 10, 0, 1) + tiny.pack(3, 9, 1) * 300_000


def put(path, data):
    with open(path, "wb") as file:
        file.write(data)
    return path


def sparse_files(folder):
    for name, data in (("sparse_header", header(2, 10_000_008, 0, 8000)),
                       ("sparse_version_1", header(1, 5, 0, 1)),
                       ("sparse_beginning", healthy()),
                       ("sparse_plain", frames(0)),
                       ("sparse_nothing", b"")):
        path = put(os.path.join(folder, name.encode()), data)
        try:
            os.truncate(path, 16 * TIB - 4096)
        except OSError:                             # more than this file system can say
            os.truncate(path, 1 * TIB)
        yield path


def odd_inodes(folder):
    """What stands where a file should be. Sockets have short names, so the directory is entered."""
    def at(name):
        return os.path.join(folder, name)

    os.symlink(b"loop_a", at(b"loop_b"))
    os.symlink(b"loop_b", at(b"loop_a"))
    os.symlink(b"itself", at(b"itself"))
    os.symlink(b"nowhere/at/all", at(b"dangling"))
    os.symlink(b"/dev/zero", at(b"to_a_device"))
    os.symlink(b"/proc/self/mem", at(b"to_memory"))
    os.symlink(b".", at(b"to_its_directory"))
    os.mkfifo(at(b"fifo"))
    os.symlink(b"fifo", at(b"to_a_fifo"))
    os.makedirs(at(b"directory/inside"))
    here = os.getcwd()
    os.chdir(folder)
    socket.socket(socket.AF_UNIX).bind("socket")
    os.chdir(here)
    put(at(b"not_to_be_read"), healthy())
    os.chmod(at(b"not_to_be_read"), 0)
    return [at(n) for n in sorted(os.listdir(folder))]


def metadata(root):
    """Per disk a set of files in the metadata directory."""
    sets = [
        {"slist": b"[" * (1 << 20), "group": b":" * 100_000, "eMSN": b"/" * 100_000},
        {"slist": b"{1: {'sn': '\x1b[31m\n\xff', 'dur': 1e999}}", "eMSN": b"\x1b[2J/1/2/3",
         "group": b"2:\x1b[31m/1/2/3:\n\n", "disk_sn": b"0:\x1b\x07\n-1:x\n99999999999:y\n",
         "state": b"\x1b]0;x\x07"},
        {"slist": bytes(range(256)) * 100, "group": b"99999999999999:A/B/C/D", "disk_sn": b"\0" * 9999},
        {"slist": b"{1: {'sn': '" + b"a" * (1 << 20)},
    ]
    for disk, files in enumerate(sets):
        folder = os.path.join(root, "disks", ".meta", "1", str(disk))
        os.makedirs(folder)
        for name, data in files.items():
            put(os.path.join(folder, name), data)
    odd = os.path.join(root, "disks", ".meta", "1", "4")
    os.makedirs(os.path.join(odd, "group"))
    os.mkfifo(os.path.join(odd, "slist"))
    os.symlink("/dev/zero", os.path.join(odd, "eMSN"))
    os.symlink("disk_sn", os.path.join(odd, "disk_sn"))


def split_scans(folders):
    """Scans on several disks whose fragments contradict each other."""
    far = [(0, 5), (INT_MAX - 5, INT_MAX), (INT_MAX // 2, INT_MAX // 2 + 2)]
    for folder, numbers in zip(folders, far):
        yield put(os.path.join(folder, b"far_apart"), healthy(numbers))
    for index, folder in enumerate(folders):
        yield put(os.path.join(folder, b"disagreeing"),
                  header(1 + index % 2, FULL + 8 + index, index, PACKET + index) + block(index))
        yield put(os.path.join(folder, b"every_block_everywhere"), healthy())
        yield put(os.path.join(folder, b"once_plain"), healthy() if index else frames(0, 20))


def make(root):
    folders = [os.fsencode(os.path.join(root, "disks", "1", str(disk), "data")) for disk in range(5)]
    for folder in folders:
        os.makedirs(folder)
    paths = []
    for kind in (header_fields, block_headers, cut_files, mutations, many_blocks):
        paths += [put(os.path.join(folders[0], name.encode()), data) for name, data in kind()]
    paths += [put(os.path.join(folders[1], name), healthy()) for name in NAMES]
    paths += sparse_files(folders[2])
    paths += odd_inodes(folders[3])
    paths += split_scans(folders)
    metadata(root)
    return paths
