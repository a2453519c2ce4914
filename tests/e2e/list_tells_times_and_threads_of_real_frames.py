# SPDX-License-Identifier: MIT
"""`mark6 list --json` and `-l` on real frames (real-* of MARK6_CASES, where they are).

The reference values were read off the headers by hand, once: words as in the VDIF specification
(seconds, epoch, length, thread, bits), the time code of Mark5B as in the Mark 5B User's Manual, and
times from astropy 5.2.1, e.g. Time('2014-01-01') + 14363767 s = 2014-06-16T05:56:07 = MJD
56824.24730324. The rate of EDV 3 is that of its header (16 MHz, two samples a cycle: 32e6 * 2 bits /
40000 bits); that of Mark5B follows from the fractions .0000 .0001 .0003 .0004 of its frames 0..3.
The other recordings do not tell their rate: their times are whole seconds, the last one included.
"""
import json
import os
import shutil
import subprocess

import e2e

EVN = {"station": "65532", "threads": list(range(8)), "frame_bytes": 5032,
       "frames_per_second": 1600, "channels": 1, "bits_per_sample": 2, "complex": False,
       "start": "2014-06-16T05:56:07Z", "stop": "2014-06-16T05:56:07.001250000Z",
       "start_vlbi": "2014y167d05h56m07s", "start_mjd": 56824.24730324, "duration_s": 0.00125,
       "samples_per_second": 32_000_000, "data_rate_bps": 512_000_000, "edv": 3}
EXPECTED = {
    "real-evn-8-threads": EVN | {"odd_time_threads": [0, 2, 4, 6]},
    "real-evn-time-fixed": EVN | {"odd_time_threads": []},
    "real-1bit-16chan": {
        "station": "wz", "threads": [0], "frame_bytes": 8032, "frames_per_second": None,
        "channels": 16, "bits_per_sample": 1, "complex": False, "data_rate_bps": None,
        "start": "2018-09-24T13:11:21Z", "stop": "2018-09-24T13:11:22Z",
        "start_vlbi": "2018y267d13h11m21s", "start_mjd": 58385.54954861, "duration_s": 1},
    "real-arochime-edv1": {
        "station": "AQ", "threads": [0, 1], "frame_bytes": 1056, "frames_per_second": None,
        "channels": 1024, "bits_per_sample": 4, "complex": True,
        "start": "2016-04-22T08:45:35Z", "stop": "2016-04-22T08:45:36Z",
        "start_vlbi": "2016y113d08h45m35s", "start_mjd": 57500.36498843},
    "real-drao-corrupted": {
        "station": "1", "threads": [50, 80, 87, 133, 134, 162, 245], "frame_bytes": 5032,
        "frames_per_second": None, "channels": 8, "bits_per_sample": 5, "complex": True,
        "start": "2016-08-31T03:46:41Z", "stop": "2016-08-31T03:46:48Z",
        "start_vlbi": "2016y244d03h46m41s", "start_mjd": 57631.15741898},
    "real-mwa-edv0": {
        "station": "mw", "threads": [0], "frame_bytes": 544, "frames_per_second": None,
        "channels": 2, "bits_per_sample": 8, "complex": True,
        "start": "2015-10-03T20:49:45Z", "stop": "2015-10-03T20:49:46Z",
        "start_vlbi": "2015y276d20h49m45s", "start_mjd": 57298.86788194},
    "real-mark5b": {
        "format": "Mark5B", "station": None, "threads": [], "frame_bytes": 10016,
        "frames_per_second": 6400, "channels": None, "data_rate_bps": 512_000_000,
        "start": "2014-06-13T05:30:01Z", "stop": "2014-06-13T05:30:01.000625000Z",
        "start_vlbi": "2014y164d05h30m01s", "start_mjd": 56821.22917824, "duration_s": 0.000625},
}
# Mark5B knows the day modulo 1000 only; the date of the file, which a recorder leaves, tells it.
RECORDED_UNIX_S = {"real-mark5b": 1402637460}
CASES = os.environ["MARK6_CASES"]


def mark6(*words):
    return subprocess.run([e2e.program("mark6"), *words], stdout=subprocess.PIPE, check=False,
                          text=True, timeout=60).stdout


def check_case(case, expected):
    shutil.copytree(os.path.join(CASES, case), case)
    for folder, _, names in os.walk(case):
        for name in names:
            if case in RECORDED_UNIX_S:
                os.utime(os.path.join(folder, name), (RECORDED_UNIX_S[case],) * 2)
    root = os.path.abspath(os.path.join(case, "disks", "*", "*"))
    scan, = json.loads(mark6("list", "--json", "--root", root))["scans"]
    content = scan["content"]
    for key, value in expected.items():
        if isinstance(value, float):
            e2e.check(abs(content[key] - value) < 6e-9, f"{case}: {key}: {content[key]}, not {value}")
        else:
            e2e.same(f"{case}: {key}", content[key], value)
    e2e.check(expected["start_vlbi"] in mark6("list", "-l", "--root", root),
              f"{case}: list -l has no {expected['start_vlbi']}")


if not os.path.isdir(CASES):
    e2e.skip(f"no cases in {CASES}")
for name, wanted in EXPECTED.items():
    check_case(name, wanted)
