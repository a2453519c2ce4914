# SPDX-License-Identifier: MIT
"""What the end-to-end tests in Python have in common; e2e_run.py puts it on their path.

Programs under test, mounts that are taken down at the end of a `with`, hashes, and checks that say
what differs. Its twin for shell is e2e_lib.sh.
"""
import hashlib
import os
import shutil
import subprocess
import sys
import time

BIN = os.environ["MARK6_BIN"]
MIB = 1 << 20


def program(name):
    return os.path.join(BIN, name)


def skip(reason):
    print(f"skipped: {reason}", file=sys.stderr)
    sys.exit(77)


def fail(sentence):
    print(f"FAILED: {sentence}", file=sys.stderr)
    sys.exit(1)


def check(condition, sentence):
    if not condition:
        fail(sentence)


def same(what, actual, expected):
    if actual != expected:
        fail(f"{what}: {actual!r:.400}, expected {expected!r:.400}")


def needs_fuse():
    if not os.path.exists("/dev/fuse"):
        skip("this machine has no /dev/fuse")
    if not shutil.which("fusermount3"):
        skip("this machine has no fusermount3")


def wait_until(condition, seconds, sentence):
    """Polls until `condition()` is true; fails with `sentence` when it is not in time."""
    end = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > end:
            fail(f"{sentence} (after {seconds} s)")
        time.sleep(0.01)


def is_mounted(point):
    real = os.path.realpath(point)
    with open("/proc/self/mountinfo", encoding="utf-8", errors="surrogateescape") as file:
        return any(line.split()[4] == real for line in file)


class Mount:
    """`with Mount(glob) as mnt:` a mark6fs mount for the time of the block; mnt.path(scan).

    In the foreground (-f) the daemon is our child and `process` is known; otherwise mark6fs must
    return only when the mount serves.
    """

    def __init__(self, *sources, point="mnt", options=(), foreground=False, prefix=(), log=None):
        needs_fuse()
        self.point = os.path.abspath(point)
        self.command = [*prefix, program("mark6fs"), *sources, self.point]
        for option in options:
            self.command += ["-o", option]
        self.foreground = foreground
        self.log = log                              # where the foreground's messages go
        self.process = None

    def __enter__(self):
        os.makedirs(self.point, exist_ok=True)
        if self.foreground:
            self.process = subprocess.Popen(self.command + ["-f"], stderr=self.log)
            wait_until(lambda: is_mounted(self.point) or self.process.poll() is not None, 20,
                       "mark6fs -f does not mount")
            same("mark6fs -f: exit code", self.process.poll(), None)
        else:
            done = subprocess.run(self.command, check=False, timeout=60)
            same(f"{self.command}: exit code", done.returncode, 0)
            check(is_mounted(self.point), "mark6fs returned before the mount was there")
        return self

    def __exit__(self, kind, *_):
        if is_mounted(self.point):
            # After a failure the test's own files may still be open.
            unmount(self.point, lazy=kind is not None)
        if self.process:
            same("mark6fs -f: exit code", self.process.wait(20), 0)

    def path(self, scan):
        return os.path.join(self.point, scan)


def unmount(point, lazy=False):
    subprocess.run(["fusermount3", "-uz" if lazy else "-u", point], check=True)


def gather(*arguments, env=None, timeout=60):
    """Runs mark6gather with captured stdout and stderr."""
    return subprocess.run([program("mark6gather"), *arguments], stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, stdin=subprocess.DEVNULL, check=False,
                          env={**os.environ, **(env or {})}, timeout=timeout)


def gathered(recording, code=0):
    """sha256 of the stream of all fragments of `recording`; the exit code must be `code`."""
    done = gather("-q", *recording.fragments, "-")
    same(f"mark6gather {recording.scan}: exit code ({done.stderr.decode(errors='replace').strip()})",
         done.returncode, code)
    return hashlib.sha256(done.stdout).hexdigest()


def hash_file(path, read_bytes=MIB):
    """sha256 of a file read by plain read(2)s of `read_bytes`."""
    digest = hashlib.sha256()
    fd = os.open(path, os.O_RDONLY)
    try:
        while part := os.read(fd, read_bytes):
            digest.update(part)
    finally:
        os.close(fd)
    return digest.hexdigest()
