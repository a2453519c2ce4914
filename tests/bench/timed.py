#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Runs commands as a shell would and tells what each took; of itself it adds nothing to the figures.

    timed.py OUT COMMAND [ARGUMENT]... [TOKEN COMMAND [ARGUMENT]...]...

TOKEN, a word of its own:  |  piped into the next   &  at the same time as the next   ;  then the next

OUT gets a line per command: START END USER SYSTEM PEAK_KIB READ_BYTES, in seconds since the first
command was started; READ_BYTES is what it got from read(2). A command that fails makes this fail.
"""
import os
import subprocess
import sys
import time

TOKENS = ("|", "&", ";")


def parse(words):
    """[(command, token behind it)]."""
    steps, command = [], []
    for word in words:
        if word in TOKENS:
            steps.append((command, word))
            command = []
        else:
            command.append(word)
    return steps + [(command, ";")]


class Running:
    """One command that was started."""

    def __init__(self, command, stdin, stdout, begin):
        self.command = command
        self.begin = begin
        self.start = time.monotonic() - begin
        self.pid = subprocess.Popen(command, stdin=stdin, stdout=stdout).pid
        self.figures = None
        self.code = None

    def ended(self):
        """Takes note of a process that waits to be reaped."""
        end = time.monotonic() - self.begin
        with open(f"/proc/{self.pid}/io", encoding="ascii") as file:
            read_bytes = int(file.readline().split()[1])
        _, status, usage = os.wait4(self.pid, 0)
        self.code = os.waitstatus_to_exitcode(status)
        self.figures = (f"{self.start:.4f} {end:.4f} {usage.ru_utime:.3f} {usage.ru_stime:.3f} "
                        f"{usage.ru_maxrss} {read_bytes}")


def wait_for(running):
    """Until all have ended, in whatever order."""
    left = {one.pid: one for one in running if one.figures is None}
    while left:
        info = os.waitid(os.P_ALL, 0, os.WEXITED | os.WNOWAIT)
        left.pop(info.si_pid).ended()


def run(steps):
    """Starts and waits, as the tokens say."""
    begin, running, stdin = time.monotonic(), [], None
    for command, token in steps:
        stdout, next_stdin = None, None
        if token == "|":
            next_stdin, stdout = os.pipe()
        running.append(Running(command, stdin, stdout, begin))
        for fd in (stdin, stdout):
            if fd is not None:
                os.close(fd)
        stdin = next_stdin
        if token == ";":
            wait_for(running)
            if any(one.code for one in running):
                break
    return running


def main():
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    running = run(parse(sys.argv[2:]))
    with open(sys.argv[1], "w", encoding="ascii") as out:
        for one in running:
            print(one.figures, file=out)
    for one in running:
        if one.code:
            print(f"timed.py: exit code {one.code}: {' '.join(one.command)}", file=sys.stderr)
    return 1 if any(one.code for one in running) else 0


if __name__ == "__main__":
    sys.exit(main())
