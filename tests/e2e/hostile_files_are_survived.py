# SPDX-License-Identifier: MIT
"""More than 200 files that no recorder wrote: list and gather answer soon, in little memory, and
nothing of a name or a text on the disks reaches the terminal unescaped."""
import json
import os
import resource
import signal
import subprocess
import time

import e2e
import hostile

SECONDS = 10
MEMORY_KIB = 512 << 10
ENVIRONMENT = {**os.environ, "MARK6_ROOT": os.path.abspath("r/disks/1/*")}


class Run:
    """A command to its end, its output, time and memory within the limits."""

    def __init__(self, *words, stdout="out"):
        self.what = " ".join(os.fsencode(w).decode("latin-1") for w in words).encode("unicode_escape")
        with open(stdout, "wb") as out, open("err", "wb") as err:
            self.run(words, out, err)
        with open("err", "rb") as file:
            self.err = file.read()
        self.check_printable(self.err)

    def run(self, words, out, err):
        start = time.monotonic()
        process = subprocess.Popen([e2e.program(words[0]), *words[1:]], stdin=subprocess.DEVNULL,
                                   stdout=out, stderr=err, env=ENVIRONMENT)
        signal.signal(signal.SIGALRM, lambda *_: process.kill())
        signal.alarm(2 * SECONDS)
        _, status, usage = os.wait4(process.pid, 0)
        signal.alarm(0)
        process.returncode = self.code = os.waitstatus_to_exitcode(status)
        seconds = time.monotonic() - start
        e2e.check(0 <= self.code <= 4, f"{self.what}: exit code {self.code}")
        e2e.check(seconds < SECONDS, f"{self.what}: {seconds:.1f} s")
        e2e.check(usage.ru_maxrss < MEMORY_KIB, f"{self.what}: {usage.ru_maxrss} KiB of memory")

    def check_printable(self, text):
        bad = [c for c in text if (c < 32 and c != 10) or c == 127]
        e2e.check(not bad, f"{self.what}: prints control bytes: {text!r:.2000}")
        e2e.check(b"\xc2\x9b" not in text, f"{self.what}: prints a C1 control")
        try:
            text.decode()
        except UnicodeDecodeError:
            e2e.fail(f"{self.what}: prints invalid UTF-8: {text!r:.2000}")


class Pipe:
    """`path` is a pipe whose bytes another process counts."""

    def __enter__(self):
        os.mkfifo("pipe")
        self.counter = subprocess.Popen("wc -c < pipe", shell=True, stdout=subprocess.PIPE)
        return self

    def __exit__(self, *_):
        self.bytes = int(self.counter.communicate()[0])
        os.unlink("pipe")


def read(path):
    with open(path, "rb") as file:
        return file.read()


# No limit of the machine hides what the programs take: this is for a run that goes wild.
resource.setrlimit(resource.RLIMIT_AS, (8 << 30, 8 << 30))
paths = hostile.make("r")
e2e.check(len(paths) >= 200, f"only {len(paths)} files")

for words in ([], ["-l"], ["-v"], ["far_apart", "disagreeing"], ["*"]):
    table = Run("mark6", "list", *words)
    table.check_printable(read("out"))
for words in ([], ["*"]):
    Run("mark6", "list", "--json", *words)
    names = {scan["name"] for scan in json.loads(read("out"))["scans"]}
    e2e.check(len(names) > 200, f"mark6 list --json: {len(names)} scans")

for path in paths:
    Run("mark6gather", "-v", "--bytes", "8M", path, "-", stdout="/dev/null")
for path in paths[::5] + paths[-60:]:
    with Pipe() as pipe:
        Run("mark6gather", "--bytes", "8M", path, "-", stdout="pipe")
    e2e.check(pipe.bytes <= 8_000_000, f"{path}: {pipe.bytes} bytes")
for name in ("far_apart", "disagreeing", "every_block_everywhere", "once_plain", *hostile.NAMES):
    Run("mark6gather", "--bytes", "8M", "--", name, "-", stdout="/dev/null")

# A healthy file of the same disks still comes out whole.
recorded = hostile.healthy()
flat = b"".join(recorded[28 + at:28 + at + hostile.FULL]
                for at in range(0, len(recorded) - 20, hostile.FULL + 8))
Run("mark6gather", "-q", "every_block_everywhere", "-")
e2e.same("a healthy scan amid the others", read("out"), flat)
