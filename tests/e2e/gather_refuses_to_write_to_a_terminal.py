# SPDX-License-Identifier: MIT
"""Data on a terminal help nobody: refused with exit 2 and a word, nothing of it is printed."""
import os
import pty
import subprocess

import e2e
import sgwrite

recording = sgwrite.write("r", sgwrite.Shape())
controller, terminal = pty.openpty()
for words in (recording.fragments, [*recording.fragments, "-"]):
    done = subprocess.run([e2e.program("mark6gather"), *words], stdin=subprocess.DEVNULL,
                          stdout=terminal, stderr=subprocess.PIPE, check=False, timeout=30)
    e2e.same("exit code", done.returncode, 2)
    e2e.check(b"terminal" in done.stderr, f"no word about the terminal: {done.stderr!r}")
os.set_blocking(controller, False)
try:
    e2e.same("written to the terminal", os.read(controller, 4096), b"")
except BlockingIOError:
    pass
