# SPDX-License-Identifier: MIT
"""Statistics as docs/reference/stats.md has them: which keys there must be, of which types; what
must add up; what Prometheus' own checker says of the text.
"""
import json
import os
import shutil
import socket
import subprocess

from e2e import check, same

NUMBER = (int, float)
OPTIONAL_TEXT = (str, type(None))
OPTIONAL_NUMBER = (int, float, type(None))

TOP = {"schema": str, "program": str, "target": str, "pid": int, "time": NUMBER,
       "uptime_s": NUMBER, "span_s": NUMBER, "span": str, "devices": list, "streams": list,
       "ended": list}
FIGURES = {"requests": int, "bytes": int, "cached_bytes": int, "errors": int, "retries": int,
           "busy_s": NUMBER, "queue_s": NUMBER, "queue_wait_s": NUMBER, "stall_s": NUMBER,
           "latency_s": dict}
LATENCY = {"p50": NUMBER, "p99": NUMBER, "max": NUMBER, "sum": NUMBER, "buckets": list}
DEVICE = {**FIGURES, "module": str, "disk": str, "kernel_name": OPTIONAL_TEXT,
          "serial": OPTIONAL_TEXT, "in_flight": int, "recent": dict, "verdict": str, "reason": str,
          "confidence": NUMBER, "times_slower": NUMBER, "verdict_span": str,
          "slow_while_recording": bool, "recording": str, "blocks": OPTIONAL_NUMBER,
          "block_share": OPTIONAL_NUMBER}
# What /sys says of a device; absent where it does not.
FACTS = {"partition": str, "device_number": str, "volume_name": str, "backing_file": str,
         "file_system": str, "below": list, "vendor": str, "model": str, "firmware": str,
         "wwid": str, "scheduler": str, "transport": str, "link_rate": str, "sas_address": str,
         "sas_phy": str, "ata_port": str, "hctl": str, "pci_address": str, "sys_path": str,
         "size_bytes": int, "read_ahead_kb": int, "nr_requests": int, "queue_depth": int,
         "rotational": bool}
STREAM = {"scan": str, "bytes": int, "total_bytes": int, "elapsed_s": NUMBER, "stall_s": dict,
          "sink_s": NUMBER, "work_s": NUMBER, "limit": str, "limit_share": NUMBER,
          "limit_reason": str}


def check_keys(what, found, must, may=()):
    """`found` has all keys of `must`, of these types, and none beside them and those of `may`."""
    for key, kind in must.items():
        check(key in found, f"{what} has no {key}")
    for key, value in found.items():
        kind = must.get(key) or dict(may).get(key)
        check(kind is not None, f"{what} has a key {key} that the documents do not know")
        check(isinstance(value, kind), f"{what}: {key} is {value!r}")


def checked(text):
    """The snapshot in `text`, which must be as it is documented."""
    stats = json.loads(text)
    check_keys("the snapshot", stats, TOP)
    same("schema", stats["schema"], "mark6.stats/1")
    for device in stats["devices"]:
        check_keys("a device", device, DEVICE, FACTS)
        check_keys("recent", device["recent"], FIGURES)
        for figures in (device, device["recent"]):
            check_keys("latency_s", figures["latency_s"], LATENCY)
            in_buckets = sum(count for _, count in figures["latency_s"]["buckets"])
            check(in_buckets <= figures["requests"] + 1, f"more in buckets than reads: {figures}")
        check(device["verdict"] in ("slow", "suspect", "fine", "unknown"), device["verdict"])
    for stream in stats["streams"] + stats["ended"]:
        check_keys("a stream", stream, STREAM)
        parts = sum(stream["stall_s"].values()) + stream["sink_s"] + stream["work_s"]
        check(abs(parts - stream["elapsed_s"]) <= 0.01 * stream["elapsed_s"],
              f"the ledger does not add up: {stream}")
    return stats


def check_prometheus(text):
    """promtool, where it is installed, has nothing to say against `text`."""
    check(text.startswith("# HELP mark6_"), f"no metrics: {text[:100]}")
    if shutil.which("promtool"):
        done = subprocess.run(["promtool", "check", "metrics"], input=text.encode(),
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)
        same("promtool", (done.returncode, done.stdout.decode()), (0, ""))


def asked(pid):
    """What the process `pid` answers at its socket."""
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as peer:
        peer.settimeout(10)
        peer.connect(f"\0mark6.stats.{os.geteuid()}.{pid}")
        parts = []
        while part := peer.recv(1 << 16):
            parts.append(part)
    return b"".join(parts).decode()
