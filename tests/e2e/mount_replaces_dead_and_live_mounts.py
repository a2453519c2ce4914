# SPDX-License-Identifier: MIT
"""A mark6fs that was killed leaves a dead mount: the next one says so, and replaces it when it is
told to. A live one makes way as well, its readers going on; other file systems never do. With
auto_unmount a killed one leaves nothing.
"""
import os
import signal
import subprocess

import e2e
import sgwrite

e2e.needs_fuse()
one = sgwrite.write("one", sgwrite.Shape(scan="one.vdif", seed=1))
two = sgwrite.write("two", sgwrite.Shape(scan="two.vdif", seed=2))
point = os.path.abspath("mnt")
os.makedirs(point)


def mark6fs(*words, code=0, at=point):
    """Runs it in the background, as users do; what it said."""
    done = subprocess.run([e2e.program("mark6fs"), *words, at], check=False, timeout=60,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    e2e.same(f"mark6fs {' '.join(words)}: exit code ({done.stderr.strip()})", done.returncode, code)
    return done.stderr


def pids(at=point):
    """Daemons whose last argument is the mount point."""
    found = []
    for pid in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open(f"/proc/{pid}/cmdline", "rb") as file:
                words = file.read().split(b"\0")
        except OSError:
            continue
        if words[0].endswith(b"/mark6fs") and words[-2:-1] == [at.encode()]:
            found.append(int(pid))
    return found


def gone(number):
    """Also when nobody has waited for it yet: a container may have no init."""
    try:
        with open(f"/proc/{number}/stat", encoding="ascii") as file:
            return file.read().rsplit(")", 1)[1].split()[0] == "Z"
    except OSError:
        return True


def kill(at=point):
    daemon, = pids(at)
    os.kill(daemon, signal.SIGKILL)
    e2e.wait_until(lambda: gone(daemon), 20, "kill -9 does not end it")


def mounts(at=point):
    with open("/proc/self/mountinfo", encoding="utf-8") as file:
        return sum(line.split()[4] == at for line in file)


try:
    # Dead.
    mark6fs("-q", one.disk_glob)
    kill()
    for at in (point, point + "/", "mnt", "./mnt"):
        said = mark6fs("-q", one.disk_glob, code=4, at=at)
        for word in ("a dead mount of mark6fs", "killed", "--replace", "fusermount3 -u"):
            e2e.check(word in said, f"no '{word}' in: {said}")
    mark6fs("-q", "--replace", one.disk_glob)
    e2e.same("listed", os.listdir(point), ["one.vdif"])
    e2e.same("mounts at the point", mounts(), 1)

    # Alive: refused, then replaced; who reads goes on.
    e2e.check("--replace" in mark6fs("-q", two.disk_glob, code=2), "the refusal gives no advice")
    before, = pids()
    with open(os.path.join(point, "one.vdif"), "rb") as file:
        start = file.read(5000)
        mark6fs("-q", "-o", "replace", two.disk_glob)
        e2e.same("listed", os.listdir(point), ["two.vdif"])
        e2e.same("mounts at the point", mounts(), 1)
        e2e.check(start + file.read() == one.flat, "the old reader got other bytes")
    e2e.wait_until(lambda: gone(before), 20, "the old mark6fs does not end")
    with open(os.path.join(point, "two.vdif"), "rb") as file:
        e2e.check(file.read() == two.flat, "the new mount has other bytes")

    # A start that fails leaves the live one alone.
    mark6fs("-q", "--replace", os.path.abspath("nowhere/*/*"), code=3)
    e2e.same("listed", os.listdir(point), ["two.vdif"])
    e2e.unmount(point)

    # Nothing to replace is no error; and no other file system is taken off.
    mark6fs("-q", "--replace", one.disk_glob)
    e2e.unmount(point)
    said = mark6fs("-q", "--replace", one.disk_glob, code=2, at="/proc")
    e2e.check("another file system" in said and os.path.exists("/proc/self"), said)

    # Killed with auto_unmount.
    e2e.wait_until(lambda: not pids(), 20, "a mark6fs is left over")
    mark6fs("-q", "-o", "auto_unmount", one.disk_glob)
    kill()
    e2e.wait_until(lambda: mounts() == 0, 20, "auto_unmount leaves a dead mount")
    mark6fs("-q", "-o", "auto_unmount", one.disk_glob)
    e2e.unmount(point)
    e2e.wait_until(lambda: not pids() and mounts() == 0, 20, "auto_unmount does not end")
finally:
    while mounts():
        e2e.unmount(point, lazy=True)
