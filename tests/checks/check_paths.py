#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Checks that no file of the project names a place of the machine it was written on.

Tests may look for recordings beside the project (../shared) and skip when there are none.
"""
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
# Written in two parts, or this file would find itself.
PRIVATE = re.compile(r"(?<![\w.])/(?:wo" r"rk|ho" r"me|ro" r"ot|Users)/\w")
BESIDE = re.compile(r"\.\./sha" r"red\b")


def files():
    """What git knows or would add; in a tarball all but the builds."""
    listed = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
        cwd=ROOT, capture_output=True, check=False)
    if listed.returncode == 0:
        names = [pathlib.Path(name) for name in listed.stdout.decode().split("\0") if name]
    else:
        names = [path.relative_to(ROOT) for path in ROOT.rglob("*")]
    return [name for name in names if name.parts[0] not in ("build", ".git")]


def main():
    found = []
    for name in sorted(files()):
        path = ROOT / name
        if not path.is_file():
            continue
        text = path.read_bytes().decode("utf-8", errors="replace")
        for number, line in enumerate(text.splitlines(), 1):
            if PRIVATE.search(line) or (BESIDE.search(line) and name.parts[0] != "tests"):
                found.append(f"{name}:{number}: {line.strip()[:100]}")
    print("\n".join(found) or "no file names a place outside the project")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
