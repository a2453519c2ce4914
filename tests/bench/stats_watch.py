#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Follows the statistics of a running program and says what they told, and when.

    stats_watch.py FILE --until PID [--kernel BEFORE]

Reads FILE (--stats of a program, or MOUNT/.mark6/stats.json) ten times a second while process PID
lives, and prints one JSON object:
  first        per disk: verdicts it was ever given, and after how many seconds of streaming first
  last         per disk: the last verdict, its reason and confidence, and how it was recorded
  limit        what the stream was limited by in the end, with the sentence
  ledger_off   the largest part of a stream's time that its ledger did not account for
  kernel       with --kernel: per disk our figures and those of /proc/diskstats, since BEFORE, a copy
               of that file
"""
import argparse
import json
import time


def alive(pid):
    try:
        with open(f"/proc/{pid}/stat", encoding="ascii") as stat:
            return stat.read().rsplit(")", 1)[1].split()[0] != "Z"
    except OSError:
        return False


def diskstats(path):
    with open(path, encoding="ascii") as file:
        rows = [line.split() for line in file]
    # reads completed, sectors read, ms reading, weighted ms (Documentation/admin-guide/iostats.rst)
    return {row[2]: [int(row[i]) for i in (3, 5, 6, 13)] for row in rows}


def read_stats(path):
    try:
        with open(path, encoding="utf-8") as file:
            return json.load(file)
    except (OSError, ValueError):
        return None


def label(device):
    return f"{device['module']}/{device['disk']}"


class Watch:
    def __init__(self):
        self.first = {}
        self.last = {}
        self.limit = None
        self.ledger_off = 0.0
        self.devices = []

    def streams_of(self, stats):
        return stats["streams"] + stats.get("ended", [])

    def take(self, stats):
        streams = self.streams_of(stats)
        for stream in streams:
            elapsed = stream["elapsed_s"]
            told = sum(stream["stall_s"].values()) + stream["sink_s"] + stream["work_s"]
            if elapsed > 0.5:
                self.ledger_off = max(self.ledger_off, abs(told - elapsed) / elapsed)
            if stream.get("limit_reason"):  # those that ended have none
                self.limit = {key: stream[key] for key in ("limit", "limit_share", "limit_reason")}
        streaming = max((stream["elapsed_s"] for stream in streams), default=0)
        for device in stats["devices"]:
            self.first.setdefault(label(device), {}).setdefault(device["verdict"], round(streaming, 1))
            self.last[label(device)] = {
                key: device.get(key)
                for key in ("verdict", "reason", "confidence", "slow_while_recording", "recording")
            }
        self.devices = stats["devices"]

    def against(self, before, after):
        """Our bytes, r_await (ms) and queue integral (s), each with the kernel's beside it. Over the
        same time, bytes are to each other as rates are, and queue integrals as aqu-sz."""
        rows = {}
        for device in self.devices:
            name = device["kernel_name"]
            if name not in before or device["requests"] == 0:
                continue
            reads, sectors, ms, weighted = (b - a for a, b in zip(before[name], after[name]))
            rows[label(device)] = {
                "rate": [device["bytes"], sectors * 512],
                "r_await": [device["latency_s"]["sum"] * 1e3 / device["requests"], ms / max(reads, 1)],
                "aqu-sz": [device["queue_s"], weighted / 1e3],
                "requests": [device["requests"], reads],
            }
        return rows


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("file")
    parser.add_argument("--until", type=int, required=True, metavar="PID")
    parser.add_argument("--kernel", metavar="BEFORE")
    options = parser.parse_args()
    watch = Watch()
    while alive(options.until):
        stats = read_stats(options.file)
        if stats is not None:
            watch.take(stats)
        time.sleep(0.1)
    stats = read_stats(options.file)  # the last writing of a program that has ended
    if stats is not None:
        watch.take(stats)
    found = {"first": watch.first, "last": watch.last, "limit": watch.limit,
             "ledger_off": watch.ledger_off}
    if options.kernel:
        found["kernel"] = watch.against(diskstats(options.kernel), diskstats("/proc/diskstats"))
    print(json.dumps(found))


if __name__ == "__main__":
    main()
