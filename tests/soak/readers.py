# SPDX-License-Identifier: MIT
"""The operations of the soak that read a scan through a mount. Each compares all that it gets.

An operation returns the number of bytes compared; it raises Wrong for bytes that are not right, and
OSError (or Broken) where the mount gave none: whether that was in order is judged by who called.
"""
import mmap
import os
import subprocess

from views import Expectation


class Wrong(Exception):
    """Bytes, or a size, that nothing explains."""


class Broken(Exception):
    """A program said that it could not read."""


def opened(path, scan):
    fd = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    size = os.fstat(fd).st_size
    expectation = Expectation(scan, size)
    if not expectation.views:
        os.close(fd)
        raise Wrong(f"{path}: a size of {size}, {scan.size} when whole")
    return fd, expectation


def compare(path, expectation, data, count, offset):
    if not expectation.fits(data, count, offset):
        raise Wrong(f"{path}: wrong bytes at {offset}+{count} ({len(data)} read, size "
                    f"{expectation.size})")


def pread(fd, count, offset):
    """As os.pread, but what a fault cut short is asked for again, which tells the error."""
    data = os.pread(fd, count, offset)
    while 0 < len(data) < count:
        more = os.pread(fd, count - len(data), offset + len(data))
        if not more:
            break
        data += more
    return data


def random_preads(path, scan, dice):
    fd, expectation = opened(path, scan)
    try:
        for _ in range(dice.randint(1, 60)):
            offset = dice.randrange(scan.size + 1000)
            count = dice.choice((1, 32, 8032, 65536, 131072, 1 << 20)) + dice.randrange(100)
            compare(path, expectation, pread(fd, count, offset), count, offset)
    finally:
        os.close(fd)
    return expectation.compared


def whole_read(path, scan, dice):
    fd, expectation = opened(path, scan)
    count = dice.choice((50_000, 131_072, 1 << 20, 3 << 20))
    offset = 0
    try:
        while True:
            data = pread(fd, count, offset)
            compare(path, expectation, data, count, offset)
            if not data:
                return expectation.compared
            offset += len(data)
    finally:
        os.close(fd)


def dd(path, scan, dice):
    block = dice.choice((4096, 100_000, 1 << 20))
    skip = dice.randrange(max(1, scan.size // block))
    count = dice.randint(1, max(1, (8 << 20) // block))
    fd, expectation = opened(path, scan)
    try:
        done = subprocess.run(["dd", f"if=/dev/fd/{fd}", f"bs={block}", f"skip={skip}",
                               f"count={count}", "status=none"], pass_fds=[fd], check=False,
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    finally:
        os.close(fd)
    if done.returncode != 0:
        raise Broken(done.stderr.decode(errors="replace").strip())
    compare(path, expectation, done.stdout, block * count, block * skip)
    return expectation.compared


def mapped(path, scan, dice, shared):
    """In a process of its own: a page that cannot be read is SIGBUS."""
    child = os.fork()
    if child == 0:
        code = 1
        try:
            code = map_and_compare(path, scan, dice, shared)
        except OSError:
            code = 2
        finally:
            os._exit(code)                      # pylint: disable=protected-access
    _, status = os.waitpid(child, 0)
    if os.WIFSIGNALED(status):
        raise Broken(f"mmap: signal {os.WTERMSIG(status)}")
    if os.WEXITSTATUS(status) == 1:
        raise Wrong(f"{path}: wrong bytes in a map (shared: {shared})")
    if os.WEXITSTATUS(status) == 2:
        raise Broken("mmap: an error")
    return 20 * 10_000


def map_and_compare(path, scan, dice, shared):
    fd, expectation = opened(path, scan)
    flags = mmap.MAP_SHARED if shared else mmap.MAP_PRIVATE
    with mmap.mmap(fd, expectation.size, flags=flags, prot=mmap.PROT_READ) as pages:
        for _ in range(20):
            offset = dice.randrange(expectation.size)
            if not expectation.fits(pages[offset:offset + 10_000], 10_000, offset):
                return 1
    return 0


def look_around(mount, scan, dice):
    """ls, stat, statfs, attributes, and the mount's own files."""
    names = os.listdir(mount)
    if not scan.may_fail and scan.name not in names:
        raise Broken(f"{mount}: {scan.name} is not listed")
    os.statvfs(mount)
    path = os.path.join(mount, scan.name)
    size = os.stat(path).st_size
    if not scan.views(size):
        raise Wrong(f"{path}: stat gives a size of {size}, {scan.size} when whole")
    for attribute in os.listxattr(path):
        os.getxattr(path, attribute)
    own = os.path.join(mount, ".mark6", dice.choice(("disks", "health", "stats.json")))
    with open(own, "rb") as file:
        file.read()
    return 0
