# SPDX-License-Identifier: MIT
"""getfattr and .mark6/health tell of each scan what is missing, what is damaged, and on which disk."""
import os

import e2e
import sgwrite

whole = sgwrite.write("r", sgwrite.Shape(scan="whole_Xx_1.vdif", modules=2))
holes = sgwrite.write("r", sgwrite.Shape(scan="holes_Xx_1.vdif", modules=2,
                                         missing=frozenset({7, 8})))
absent = sgwrite.write("r", sgwrite.Shape(scan="absent_Xx_1.vdif", modules=1, missing=frozenset({5}),
                                          missing_disks=frozenset({"1/2"})))
cut = sgwrite.write("r", sgwrite.Shape(scan="cut_Xx_1.vdif", modules=1))
empty = sgwrite.write("r", sgwrite.Shape(scan="empty_Xx_1.vdif", modules=1))


def fragment_on(recording, disk):
    path, = (path for path in recording.fragments if f"disks/{disk}/" in path)
    return path


os.truncate(fragment_on(cut, "1/3"), os.path.getsize(fragment_on(cut, "1/3")) - 5000)
os.truncate(fragment_on(empty, "1/0"), 0)

with e2e.Mount(whole.disk_glob) as mnt:
    def told(recording, name):
        return os.getxattr(mnt.path(recording.scan), f"user.mark6.{name}").decode()

    for recording in (whole, holes, absent, cut, empty):
        names = os.listxattr(mnt.path(recording.scan))
        for name in ("holes", "modules", "damage", "state"):
            e2e.check(f"user.mark6.{name}" in names, f"{recording.scan} has only {names}")
    e2e.same("holes of whole", told(whole, "holes"), "0")
    e2e.same("modules of whole", told(whole, "modules"), "1,2")
    e2e.same("damage of whole", told(whole, "damage"), "none")
    e2e.same("holes", told(holes, "holes"), "2 7-8")
    e2e.same("damage of holes", told(holes, "damage"), "none")
    e2e.same("modules of cut", told(cut, "modules"), "1")
    e2e.check(told(cut, "damage").startswith("1/3: damaged in 1 place: last block"),
              told(cut, "damage"))
    e2e.same("damage of empty", told(empty, "damage"), "1/0: empty")
    e2e.same("state of empty", told(empty, "state"), "damaged")
    try:
        os.getxattr(mnt.path(whole.scan), "user.mark6.nothing")
        e2e.fail("an attribute of any name exists")
    except OSError:
        pass

    def health():
        with open(mnt.path(".mark6/health"), encoding="utf-8") as file:
            return file.read()

    e2e.wait_until(lambda: "not looked at yet" not in health(), 20, "scans are not looked at")
    text = health()
    lines = text.splitlines()

    def line_of(recording):
        line, = (line for line in lines if line.startswith(f"scan {recording.scan}: "))
        return line

    e2e.same("health of whole", line_of(whole), f"scan {whole.scan}: complete, 40 blocks")
    e2e.same("health of holes", line_of(holes), f"scan {holes.scan}: holes, 38 blocks, missing 2 7-8")
    e2e.check(line_of(absent).endswith("; no fragment on disk 1/2"), line_of(absent))
    e2e.check(": damaged, " in line_of(cut), line_of(cut))
    e2e.check(any(line.startswith("fragment disk 1/3: ") and "last block" in line and cut.scan in line
                  for line in lines), text)
    e2e.check(any(line.startswith("fragment disk 1/0: ") and line.endswith(": empty")
                  for line in lines), text)
