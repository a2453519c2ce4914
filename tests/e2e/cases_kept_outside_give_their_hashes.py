# SPDX-License-Identifier: MIT
"""The small recordings of MARK6_CASES (default: ../shared/cases beside the source), where they are.

For every case with an expect.json: bytes, hash and missing ranges, through gather, mount and list; damage through check.
"""
import hashlib
import json
import os
import shutil
import subprocess
import sys

import e2e

CASES = os.environ["MARK6_CASES"]
problems = []


def note(case, what, actual, expected):
    if actual != expected:
        problems.append(f"{case}: {what}: {actual!r}, expected {expected!r}")


def private_copy(case):
    """The case in our own directory, with its symbolic links where a transport made text of them."""
    copy = os.path.abspath(os.path.join("cases", case))
    shutil.copytree(os.path.join(CASES, case), copy, symlinks=True)
    for folder, _, names in os.walk(os.path.join(copy, "disks")):
        for path in (os.path.join(folder, name) for name in names):
            if os.path.islink(path) or os.path.getsize(path) > 4096:
                continue
            with open(path, "rb") as file:
                target = file.read()
            if target.startswith(b"../") and os.path.exists(os.path.join(folder, os.fsdecode(target))):
                os.chmod(folder, 0o755)
                os.unlink(path)
                os.symlink(target, os.fsencode(path))
    return copy


def check_structure(case, expect, disks):
    """Every line of `damage` is a finding of mark6 check, and the exit code says of which kind."""
    done = subprocess.run([e2e.program("mark6"), "check", "--json", expect["scan"]],
                          stdout=subprocess.PIPE, env={**os.environ, **disks}, check=False,
                          timeout=30)
    scan, = json.loads(done.stdout)["scans"]
    untold = [line for line in expect["damage"]
              if not any(told == line or told.startswith(line + ": ") for told in scan["findings"])]
    note(case, f"check: damage that is not among {scan['findings']}", untold, [])
    absent = any(line.endswith("no fragment") for line in expect["damage"])
    inside = any(not line.endswith("no fragment") for line in expect["damage"])
    bits = 8 * bool(expect["missing"]) | 16 * absent | 32 * inside
    note(case, "check: exit code", done.returncode, bits | bool(bits))


def check_case(case):
    root = private_copy(case)
    with open(os.path.join(root, "expect.json"), encoding="utf-8") as file:
        expect = json.load(file)
    disks = {"MARK6_ROOT": os.path.join(root, "disks", "*", "*")}
    done = e2e.gather(expect["scan"], "-", env=disks)
    note(case, "gather: bytes", len(done.stdout), expect["bytes"])
    note(case, "gather: sha256", hashlib.sha256(done.stdout).hexdigest(), expect["sha256"])
    allowed = (1,) if expect["missing"] else (0, 1) if expect["damage"] else (0,)
    note(case, f"gather: exit code {done.returncode} ({done.stderr.decode(errors='replace')})",
         done.returncode in allowed, True)
    with e2e.Mount(disks["MARK6_ROOT"]) as mnt:
        path = mnt.path(expect["scan"])
        note(case, "mount: size", os.stat(path).st_size, expect["bytes"])
        note(case, "mount: sha256", e2e.hash_file(path), expect["sha256"])
    listed = subprocess.run([e2e.program("mark6"), "list", "--json"], stdout=subprocess.PIPE,
                            env={**os.environ, **disks}, check=False, timeout=30)
    scan, = [s for s in json.loads(listed.stdout)["scans"] if s["name"] == expect["scan"]]
    for key, wanted in (("size_bytes", "bytes"), ("blocks", "blocks"), ("missing", "missing")):
        note(case, f"list: {key}", scan[key], expect[wanted])
    check_structure(case, expect, disks)
    if not expect["missing"] and not expect["damage"]:
        note(case, "list: state", scan["state"], "complete")
    if expect["missing"] and not expect["damage"]:
        note(case, "list: state", scan["state"], "holes")


if not os.path.isdir(CASES):
    e2e.skip(f"no cases in {CASES}")
names = sorted(n for n in os.listdir(CASES) if os.path.exists(os.path.join(CASES, n, "expect.json")))
e2e.check(names, f"no case in {CASES} has an expect.json")
for name in names:
    try:
        check_case(name)
    except Exception as error:                      # the other cases are still worth knowing
        problems.append(f"{name}: {error!r}")
print("\n".join(problems), file=sys.stderr)
e2e.check(not problems, f"{len(problems)} differences in {len(names)} cases")
