# SPDX-License-Identifier: MIT
"""`mark6 check --vdif --full` finds nothing wrong with the frames of real recordings (real-* of
MARK6_CASES, where they are); whole threads with another time are named, and are no finding."""
import json
import os
import subprocess

import e2e

CASES = os.environ["MARK6_CASES"]
if not os.path.isdir(CASES):
    e2e.skip(f"no cases in {CASES}")
names = sorted(name for name in os.listdir(CASES) if name.startswith("real-"))
e2e.check(len(names) >= 7, f"real-* in {CASES}: {names}")
for name in names:
    with open(os.path.join(CASES, name, "expect.json"), encoding="utf-8") as file:
        expect = json.load(file)
    done = subprocess.run([e2e.program("mark6"), "check", "--vdif", "--full", "--json", "--root",
                           os.path.join(CASES, name, "disks", "*", "*")],
                          stdout=subprocess.PIPE, check=False, timeout=60)
    scan, = json.loads(done.stdout)["scans"]
    told = scan["frames"]
    e2e.same(f"{name}: findings", told["findings"], [])
    e2e.same(f"{name}: exit code", done.returncode, 0)
    e2e.same(f"{name}: frames", told["frames"], expect["bytes"] // expect["packet_size"])
    e2e.same(f"{name}: full", told["full"], True)
    odd = [thread["thread"] for thread in told["threads"] if thread["odd_time"]]
    e2e.same(f"{name}: threads with another time", odd,
             [0, 2, 4, 6] if name == "real-evn-8-threads" else [])
