# SPDX-License-Identifier: MIT
"""`mark6 check --vdif --full` finds each fault that `mark6 synth` plants, as often as it is there, on 1,
4 and 8 threads; a healthy scan is clean, and a sample says what it did not look at."""
import json
import os
import subprocess

import e2e

RATE = 500
SECONDS = 6


def run(*words, code=None):
    done = subprocess.run([e2e.program("mark6"), *words], stdout=subprocess.PIPE, check=False,
                          timeout=100)
    if code is not None:
        e2e.same(f"{words}: exit code", done.returncode, code)
    return done.stdout


def synth(root, threads, *faults, more=None):
    more = more or ("--packet-size", "1032", "--block-size", "100k", "--frames",
                    str(RATE * SECONDS * threads))
    out = run("synth", root, "-q", "--json", "--disks", "4", "--frame-rate", str(RATE),
              "--threads", str(threads), *[word for fault in faults for word in ("--fault", fault)], *more, code=0)
    return json.loads(out)


def frames(root, code, *options):
    out = run("check", "--vdif", "--json", "--root", os.path.abspath(f"{root}/disks/*/*"), *options,
              code=code)
    scan, = json.loads(out)["scans"]
    return scan["frames"]


FAULTY = 1 + 64
ZERO = {"missing": 0, "duplicates": 0, "out_of_order": 0, "invalid": 0, "wrong_lengths": 0,
        "wrong_times": 0, "time_jumps": 0, "station_changes": 0, "epoch_changes": 0,
        "starts_late_frames": 0, "ends_early_frames": 0, "fill_packets": 0, "pattern_packets": 0,
        "not_frames": 0, "ragged_blocks": 0, "blocks_without_frame": 0}


def sums(told):
    """Over all threads, and what is told of the stream."""
    result = {key: told[key] for key in ZERO if key in told}
    for key in ZERO:
        if told["threads"] and key in told["threads"][0]:
            result[key] = sum(thread[key] for thread in told["threads"])
    return result


def check(threads, name, faults, wanted, code=FAULTY):
    root = f"{name}-{threads}"
    synth(root, threads, *faults)
    told = frames(root, code, "--full")
    e2e.same(f"{root}: full", told["full"], True)
    e2e.same(f"{root}: frame rate", told["content"]["frames_per_second"], RATE)
    e2e.same(f"{root}: threads", [t["thread"] for t in told["threads"]], list(range(threads)))
    e2e.same(root, sums(told), ZERO | wanted)
    return told


for n in (1, 4, 8):
    check(n, "healthy", [], {}, code=0)
    check(n, "drop", ["drop:20"], {"missing": 20})
    check(n, "gap", [f"drop:{40 * n}@{700 * n}"], {"missing": 40 * n})
    check(n, "duplicate", ["duplicate:20"], {"duplicates": 20})
    check(n, "invalid", ["invalid:20"], {"invalid": 20})
    check(n, "fill", [f"fill:100@{1000 * n + 3}"], {"fill_packets": 100, "missing": 100})
    check(n, "pattern", [f"pattern:50@{900 * n}"], {"pattern_packets": 50, "missing": 50})
    check(n, "length", ["length:20"], {"wrong_lengths": 20})
    for seconds in (-1, 1, 7, -3600):
        told = check(n, f"jump{seconds}", [f"jump:{seconds}@{1500 * n}"], {"time_jumps": n})
        for thread in told["threads"]:
            e2e.same("first jump", thread["first_jump_frames"], seconds * RATE)
    check(n, "epoch", ["epoch:29"], {"epoch_changes": n})
    check(n, "all", ["drop:10", "duplicate:10", "invalid:10", "length:10", f"fill:30@{1200 * n}"],
          {"missing": 40, "duplicates": 10, "invalid": 10, "wrong_lengths": 10, "fill_packets": 30})
    if n > 1:
        # As many frames are received as were asked for, so the other threads go on for longer.
        root = f"thread-{n}"
        synth(root, n, f"thread:1@{2000 * n}")
        told = frames(root, FAULTY, "--full")
        early = [thread["ends_early_frames"] for thread in told["threads"]]
        received = 2000 * n + (RATE * SECONDS - 2000) * n
        longest = -(-(received - 2000 * n) // (n - 1))
        e2e.check(longest - 1 <= early[1] <= longest, f"{root}: {early}, expected {longest}")
        e2e.same(f"{root}: threads that end early", [i for i, e in enumerate(early) if e], [1])
        e2e.same(root, sums(told), ZERO | {"ends_early_frames": early[1]})

# Frames in missing blocks are the blocks' fault: bit 8, not 64.
synth("blocks", 4, more=("--packet-size", "1032", "--block-size", "100k", "--frames", "12000",
                         "--missing-block", "7", "--missing-block", "8"))
told = frames("blocks", 1 + 8, "--full")
e2e.same("missing blocks", sums(told), ZERO)
e2e.same("in missing blocks", sum(t["in_missing_blocks"] for t in told["threads"]),
         2 * (100_000 // 1032))

# A sample finds what lies at both ends, and tells what it did not look at.
synth("sample", 2, "invalid:5@0", more=("--bytes", "200M", "--block-size", "1M"))
told = frames("sample", FAULTY, "--sample", "2")
e2e.same("sample: full", told["full"], False)
e2e.same("sample: stretches", told["stretches"], 2)
e2e.same("sample: invalid", told["invalid"], 5)
e2e.check(told["not_looked_at_bytes"] > 100_000_000, f"not looked at: {told['not_looked_at_bytes']}")
table = run("check", "--sample", "2", "--root", os.path.abspath("sample/disks/*/*")).decode()
e2e.check("not looked at: --full looks at all" in table, table)
full = frames("sample", FAULTY, "--full")
e2e.same("full: not looked at", full["not_looked_at_bytes"], 0)
for thread in full["threads"]:
    share = [count / sum(thread["states"]) for count in thread["states"]]
    e2e.check(all(abs(s - 0.25) < 0.01 for s in share), f"states of random samples: {share}")
    e2e.check(abs(thread["asymmetry"]) < 0.01, f"asymmetry: {thread['asymmetry']}")
