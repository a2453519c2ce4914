# SPDX-License-Identifier: MIT
"""`mark6 filelist` prints, line by line, what a reader of the mounted files prints for them: the first
and the last second of the valid frames, plus one, as MJD and as VEX times, and the size."""
import datetime
import os
import struct
import subprocess

import e2e

SCANS = [
    ("exp1_Aa_no0001.vdif", ["--start", "2015y080d08h35m03s", "--frames", "4100"]),
    ("exp1_Aa_no0002", ["--start", "2016y366d23h59m58s", "--frames", "2000", "--threads", "4"]),
    ("exp1_Aa_no0003.vdif", ["--start", "2020-02-29T12:00:00Z", "--frames", "3000",
                             "--fault", "fill:200@0", "--fault", "invalid:100@2900"]),
]
ROOT = os.path.abspath("r/disks/*/*")
for name, options in SCANS:
    subprocess.run([e2e.program("mark6"), "synth", "r", "-q", "--scan", name, "--disks", "4",
                    "--frame-rate", "500", "--packet-size", "1032", "--block-size", "100k", *options],
                   stdout=subprocess.DEVNULL, check=True, timeout=60)


def seconds_of(path):
    """First and last second (datetime) of the valid frames of a flat file."""
    with open(path, "rb") as file:
        data = file.read()
    seconds = []
    for at in range(0, len(data), 1032):
        w0, w1 = struct.unpack_from("<2I", data, at)
        if w0 >> 31:
            continue
        epoch = w1 >> 24 & 0x3F
        start = datetime.datetime(2000 + epoch // 2, 7 if epoch % 2 else 1, 1)
        seconds.append(start + datetime.timedelta(seconds=w0 & 0x3FFFFFFF))
    return min(seconds), max(seconds)


def mjd(time):
    return (time - datetime.datetime(1858, 11, 17)) / datetime.timedelta(days=1)


def filelist(*options):
    done = subprocess.run([e2e.program("mark6"), "filelist", "--root", ROOT, *options],
                          stdout=subprocess.PIPE, check=True, text=True, timeout=60)
    return done.stdout.splitlines()


with e2e.Mount(ROOT) as mnt:
    expected = {"vsum": [], "mk6dir": [], "vdifuse": [], "plain": []}
    for name, _ in SCANS:
        path = mnt.path(name)
        first, last = seconds_of(path)
        stop = last + datetime.timedelta(seconds=1)
        times = "%14.8f %14.8f" % (mjd(first), mjd(stop))
        expected["vsum"].append(f"{path} {times}")
        expected["mk6dir"].append(f"{path} {times} {os.path.getsize(path)}")
        expected["vdifuse"].append(f"{path} {first:%Yy%jd%Hh%Mm%Ss} {stop:%Yy%jd%Hh%Mm%Ss}")
        expected["plain"].append(path)
    for form, lines in expected.items():
        e2e.same(form, filelist(f"--format={form}", "--prefix", mnt.point), lines)
e2e.same("default", filelist("exp1_Aa_no0001"),
         [expected["vsum"][0].removeprefix(mnt.point + "/")])
