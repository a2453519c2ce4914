# SPDX-License-Identifier: MIT
"""`mark6 list --json` gives size, blocks, missing ranges, state and fragments of each scan."""
import json
import os
import subprocess

import e2e
import sgwrite

SHAPES = [
    sgwrite.Shape(scan="a_Xx_1.vdif", modules=2, disks=3),
    sgwrite.Shape(scan="b_Xx_2.vdif", modules=2, disks=3, missing=frozenset([4, 5, 6, 20])),
    sgwrite.Shape(scan="c_Xx_3", modules=2, disks=3, first=1000, short={39: 4}),
    sgwrite.Shape(scan='d "q" [\\]_4.vdif', modules=2, disks=3, missing_disks=frozenset(["2/1"])),
]
written = [sgwrite.write("r", shape) for shape in SHAPES]
environment = {**os.environ, "MARK6_ROOT": os.path.abspath("r/disks/*/*")}


def list_json(*words):
    done = subprocess.run([e2e.program("mark6"), "list", "--json", *words], env=environment,
                          stdout=subprocess.PIPE, check=False, timeout=60)
    report = json.loads(done.stdout)
    e2e.same("schema", report["schema"], "mark6.list/1")
    return {scan["name"]: scan for scan in report["scans"]}


listed = list_json()
e2e.same("names", sorted(listed), sorted(r.scan for r in written))
for recording in written:
    scan = listed[recording.scan]
    e2e.same(f"{recording.scan}: size_bytes", scan["size_bytes"], len(recording.flat))
    e2e.same(f"{recording.scan}: blocks", scan["blocks"], recording.blocks)
    e2e.same(f"{recording.scan}: missing", scan["missing"], recording.missing)
    e2e.same(f"{recording.scan}: state", scan["state"], "holes" if recording.missing else "complete")
    e2e.same(f"{recording.scan}: number of fragments", len(scan["fragments"]),
             len(recording.fragments))
e2e.same("names that fit a pattern", sorted(list_json("[ab]_*")), ["a_Xx_1.vdif", "b_Xx_2.vdif"])

table = subprocess.run([e2e.program("mark6"), "list"], env=environment, stdout=subprocess.PIPE,
                       check=False, text=True, timeout=60).stdout
for recording in written[:3]:
    line, = [line for line in table.splitlines() if recording.scan.removesuffix(".vdif") in line]
    e2e.check(("holes" if recording.missing else "complete") in line, f"no state in: {line}")
