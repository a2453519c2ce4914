#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Runs one end-to-end test (a .sh or .py file) so that it can neither hang nor leave anything behind.

The test gets a private directory (its working directory, TMPDIR and HOME) and a time limit. This
process is the subreaper of all that the test starts, so that daemons are found and killed too.
Whatever the test leaves - a process, a mount - is cleaned away and fails the test. Exit codes: 0
passed, 77 skipped (the test said why), 1 failed, 124 out of time (after a dump of all stacks).

  e2e_run.py [--limit SECONDS] TEST     MARK6_BIN: where the programs are; MARK6_E2E_LIMIT: seconds
"""
import argparse
import ctypes
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time

PR_SET_CHILD_SUBREAPER = 36
SKIPPED = 77
OUT_OF_TIME = 124
GRACE_SECONDS = 10          # for a daemon to leave after its mount has gone
SUPPORT = os.path.dirname(os.path.abspath(__file__))
SOURCE = os.path.dirname(os.path.dirname(SUPPORT))


def say(text):
    print(f"e2e_run: {text}", file=sys.stderr, flush=True)


def descendants():
    """Pids of all living processes below this one, parents first (zombies left out)."""
    children = {}
    for entry in os.listdir("/proc"):
        if not entry.isdigit():
            continue
        try:
            with open(f"/proc/{entry}/stat", encoding="latin-1") as file:
                state, parent = file.read().rpartition(")")[2].split()[:2]
        except OSError:
            continue                                # it ended meanwhile
        if state != "Z":
            children.setdefault(int(parent), []).append(int(entry))
    found, ahead = [], [os.getpid()]
    while ahead:
        below = children.get(ahead.pop(0), [])
        found += below
        ahead += below
    return found


def mounts_below(directory):
    """Mount points below `directory`, deepest first."""
    with open("/proc/self/mountinfo", encoding="utf-8", errors="surrogateescape") as file:
        fields = [line.split()[4] for line in file]
    points = [os.fsdecode(os.fsencode(f).decode("unicode_escape").encode("latin-1")) for f in fields]
    return sorted((p for p in points if p.startswith(directory + "/")), key=len, reverse=True)


def reap():
    try:
        while os.waitpid(-1, os.WNOHANG)[0]:
            pass
    except ChildProcessError:
        pass


def describe(pid):
    try:
        with open(f"/proc/{pid}/cmdline", "rb") as file:
            words = file.read().replace(b"\0", b" ").decode(errors="replace").strip()
        return f"{pid} {words[:200]}"
    except OSError:
        return f"{pid} (gone)"


def dump_stacks(pids):
    """What each process stands in: kernel stacks of its threads, and gdb's view where there is one."""
    for pid in pids:
        say(f"--- {describe(pid)}")
        for name in ("wchan", "stack"):
            subprocess.run(f"tail -n +1 /proc/{pid}/task/*/{name}", shell=True, check=False,
                           stdout=sys.stderr, stderr=subprocess.DEVNULL)
        if shutil.which("gdb"):
            try:
                subprocess.run(["gdb", "-batch", "-nx", "-p", str(pid), "-ex", "thread apply all bt"],
                               check=False, timeout=20, stdin=subprocess.DEVNULL,
                               stdout=sys.stderr, stderr=subprocess.DEVNULL)
            except subprocess.TimeoutExpired:
                say("gdb took too long")


def kill(pids):
    for pid in pids:
        try:
            os.kill(pid, signal.SIGKILL)
        except ProcessLookupError:
            pass                                    # it ended meanwhile


def unmount(point):
    tool = ["umount", "-l"] if os.geteuid() == 0 else ["fusermount3", "-uz"]
    subprocess.run(tool + [point], check=False, stderr=subprocess.DEVNULL)


def wait_for_end(seconds):
    """Waits until nothing is left below this process; returns what still lives then."""
    end = time.monotonic() + seconds
    while True:
        reap()
        left = descendants()
        if not left or time.monotonic() > end:
            return left
        time.sleep(0.02)


def clean(directory):
    """Unmounts, kills, removes. Returns sentences about what the test should not have left."""
    faults = []
    for point in mounts_below(directory):
        faults.append(f"left mounted: {point}")
        unmount(point)
    left = wait_for_end(GRACE_SECONDS)
    if left:
        faults += [f"left running: {describe(pid)}" for pid in left]
        dump_stacks(left)
    # A killed process may have had children that were born meanwhile: look again.
    for _ in range(5):
        kill(descendants())
        if not wait_for_end(2):
            break
    for point in mounts_below(directory):           # mounted by what has just been killed
        unmount(point)
    left = mounts_below(directory)
    if left:
        faults.append(f"cannot be unmounted: {', '.join(left)}")
    else:
        shutil.rmtree(directory, ignore_errors=True)
        if os.path.exists(directory):
            faults.append(f"cannot be removed: {directory}")
    return faults


def environment(directory):
    """The test's environment: nothing of the user's settings that the programs would heed."""
    kept = {k: v for k, v in os.environ.items() if k not in ("MARK6_ROOT", "MARK6_META_ROOT")}
    kept.setdefault("MARK6_BIN", os.path.join(SOURCE, "build", "dev", "bin"))
    kept.setdefault("MARK6_CASES", os.path.join(os.path.dirname(SOURCE), "shared", "cases"))
    kept.update(TMPDIR=directory, HOME=directory, E2E_SUPPORT=SUPPORT, PYTHONPATH=SUPPORT,
                E2E_LIB=os.path.join(SUPPORT, "e2e_lib.sh"), PYTHONDONTWRITEBYTECODE="1",
                LC_ALL="C.UTF-8")
    return kept


def run(test, limit):
    directory = os.path.realpath(tempfile.mkdtemp(prefix="mark6-e2e-"))
    interpreter = "bash" if test.endswith(".sh") else sys.executable
    code = 1
    try:
        process = subprocess.Popen([interpreter, os.path.abspath(test)], cwd=directory,
                                   env=environment(directory), stdin=subprocess.DEVNULL,
                                   start_new_session=True)
        try:
            code = process.wait(limit)
        except subprocess.TimeoutExpired:
            say(f"not finished after {limit} s; these are still there:")
            dump_stacks(descendants())
            kill(descendants())
            code = OUT_OF_TIME
    finally:
        faults = clean(directory)
    # What a failed test leaves is a consequence, not a second finding; still worth reading.
    for fault in faults:
        say(fault)
    if code < 0:
        say(f"the test was ended by signal {-code}")
        return 1
    return 1 if faults and code in (0, SKIPPED) else code


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--limit", type=float, default=float(os.environ.get("MARK6_E2E_LIMIT", 120)))
    parser.add_argument("test")
    arguments = parser.parse_args()
    # Ctrl-C and a polite kill must clean up as well.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(128 + signal.SIGTERM))
    ctypes.CDLL(None, use_errno=True).prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
    sys.exit(run(arguments.test, arguments.limit))


if __name__ == "__main__":
    main()
