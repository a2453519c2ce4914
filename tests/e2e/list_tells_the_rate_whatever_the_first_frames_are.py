# SPDX-License-Identifier: MIT
"""`mark6 list` gives exact times, threads and rate where the first or last frames are no frames."""
import json
import os
import subprocess

import e2e


def synth(root, *options):
    if "--block-size" not in options:
        options += ("--block-size", "100k")
    subprocess.run([e2e.program("mark6"), "synth", root, "-q", "--disks", "4", "--station", "Ab",
                    "--start", "2015y080d08h35m03s", "--frame-rate", "500", "--packet-size", "1032",
                    *options], stdout=subprocess.DEVNULL, check=True,
                   timeout=60)


def content(root):
    done = subprocess.run([e2e.program("mark6"), "list", "--json", "--root",
                           os.path.abspath(f"{root}/disks/*/*")], stdout=subprocess.PIPE,
                          check=False, timeout=60)
    return json.loads(done.stdout)["scans"][0]["content"]


def check(name, threads, options, start, stop, duration):
    synth(name, "--threads", str(threads), *options)
    told = content(name)
    wanted = {"format": "VDIF", "station": "Ab", "threads": list(range(threads)),
              "frame_bytes": 1032, "frames_per_second": 500, "bits_per_sample": 2, "channels": 1,
              "complex": False, "start": start, "stop": stop, "duration_s": duration,
              "data_rate_bps": 1000 * 8 * 500 * threads, "odd_time_threads": []}
    for key, value in wanted.items():
        e2e.same(f"{name}: {key}", told[key], value)


START = "2015-03-21T08:35:03Z"
# 4 s, and 100 frames of a thread.
check("healthy", 1, ["--frames", "2100"], START, "2015-03-21T08:35:07.200000000Z", 4.2)
check("threads", 8, ["--frames", "16800"], START, "2015-03-21T08:35:07.200000000Z", 4.2)
check("fill", 1, ["--frames", "2100", "--fault", "fill:1000@0", "--fault", "invalid:100@2000"],
      "2015-03-21T08:35:05Z", "2015-03-21T08:35:07Z", 2)
check("pattern", 4, ["--frames", "8400", "--fault", "pattern:400@0"],
      "2015-03-21T08:35:03.200000000Z", "2015-03-21T08:35:07.200000000Z", 4)
# Blocks of 1 MB and more lie on a grid, whose blocks are looked for instead of walked to.
check("grid", 2, ["--frames", "300000", "--block-size", "1100k", "--sparse"], START,
      "2015-03-21T08:40:03Z", 300)
# With a block missing packets cannot be counted: a second's border is looked for.
check("holes", 2, ["--frames", "60000", "--missing-block", "100"], START, "2015-03-21T08:36:03Z", 60)
