# SPDX-License-Identifier: MIT
"""A stream writes its statistics at each interval and at its end, however it ends; it answers who
asks it, prints them on SIGUSR1, and never overwrites anything but statistics.
"""
import hashlib
import os
import signal
import subprocess
import time

from e2e import check, gather, program, same, wait_until
import sgwrite
import stats_check

recording = sgwrite.write(
    "r", sgwrite.Shape(packet_bytes=8032, packets_per_block=124, blocks=60))
pattern = os.path.abspath("r/disks/*/*/data/*")
size = len(recording.flat)


def read(path):
    with open(path, encoding="utf-8") as file:
        return file.read()


def started(*options):
    """A gather whose output nobody reads yet."""
    return subprocess.Popen([program("mark6gather"), *options, pattern, "-"],
                            stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                            stdin=subprocess.DEVNULL)


# While it runs, and at its end.
process = started("--stats", "s.json", "--prometheus", "s.prom", "--stats-interval", "0.1")
wait_until(lambda: os.path.exists("s.prom"), 20, "no statistics while it streams")
stats = stats_check.checked(read("s.json"))
same("pid", stats["pid"], process.pid)
stats_check.check_prometheus(read("s.prom"))
same("streams at the socket", len(stats_check.checked(stats_check.asked(process.pid))["streams"]), 1)
process.send_signal(signal.SIGUSR1)
time.sleep(1)  # the sink is slow: it does not read for a second
out, err = process.communicate(timeout=60)
err = err.decode()
same("exit code", process.returncode, 0)
same("bytes", len(out), size)
check("aqu-sz" in err and "verdict (since the start)" in err, f"no table on SIGUSR1: {err}")
check("limited by the sink" in err, f"a slow sink is not told: {err}")
stats = stats_check.checked(read("s.json"))
same("span of the last word", {device["verdict_span"] for device in stats["devices"]}, {"all"})
stream, = stats["streams"]
same("bytes in the statistics", stream["bytes"], size)
same("what limits it", stream["limit"], "sink")
same("blocks", sum(device["blocks"] for device in stats["devices"]), 60)
share = sum(device["block_share"] for device in stats["devices"])
check(abs(share - 1) < 1e-6, f"shares add up to {share}")
got = sum(device["bytes"] + device["cached_bytes"] for device in stats["devices"])
check(got >= size, f"{got} bytes were read for a scan of {size}")
stats_check.check_prometheus(read("s.prom"))
check(f'mark6_stream_delivered_bytes_total{{program="mark6gather",target="{recording.scan}",'
      f'scan="{recording.scan}"}} {size}\n' in read("s.prom"), "the bytes are not in the metrics")

# Also when it is stopped, or its reader goes away.
process = started("--stats", "stopped.json", "--stats-interval", "0.1")
wait_until(lambda: os.path.exists("stopped.json"), 20, "no statistics while it streams")
process.send_signal(signal.SIGTERM)
process.communicate(timeout=60)
same("exit code when stopped", process.returncode, 5)
stats = stats_check.checked(read("stopped.json"))
check(stats["streams"][0]["bytes"] < size, "it was not stopped")
process = started("--stats", "closed.json")
process.stdout.close()
process.stderr.read()
same("exit code when the reader goes", process.wait(60), 0)
stats_check.checked(read("closed.json"))

# Nothing but statistics is replaced.
fragment = recording.fragments[0]
before = hashlib.sha256(open(fragment, "rb").read()).hexdigest()
os.mkdir("directory")
for refused in (fragment, "directory", "/dev/null", "no/such/directory/s.json"):
    done = gather("--stats", refused, pattern, "never.out")
    check(done.returncode in (2, 3), f"--stats {refused}: exit code {done.returncode}")
    check(refused.encode() in done.stderr or b"no/such" in done.stderr, f"{done.stderr}")
    check(not os.path.exists("never.out"), f"--stats {refused}: it began to stream")
same("the fragment", hashlib.sha256(open(fragment, "rb").read()).hexdigest(), before)
check(os.path.exists("/dev/null") and not os.path.isfile("/dev/null"), "/dev/null is gone")
same("two files of one name", gather("--stats", "x", "--prometheus", "x", pattern, "-").returncode,
     2)
left = [name for name in os.listdir(".") if name.startswith(".s.")]
same("temporary files left behind", left, [])
