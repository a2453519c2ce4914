# SPDX-License-Identifier: MIT
"""MOUNT/.mark6 tells of disks and scans without being listed; a mount exports its statistics as a
stream does.
"""
import errno
import os
import signal
import stat
import subprocess

from e2e import check, is_mounted, needs_fuse, program, same, unmount, wait_until
import sgwrite
import stats_check

needs_fuse()
recording = sgwrite.write("r", sgwrite.Shape())
sgwrite.write("r", sgwrite.Shape(scan="holes_Xx_no0001.vdif", missing=frozenset({7, 8})))
os.mkdir("mnt")


def read(path):
    with open(path, encoding="utf-8") as file:
        return file.read()


command = [program("mark6fs"), "-f", "-o", "stats=s.json,prometheus=s.prom,stats_interval=0.1",
           os.path.abspath("r/disks/*/*"), "mnt"]
with open("log", "wb") as log:
    process = subprocess.Popen(command, stderr=log)
wait_until(lambda: is_mounted("mnt"), 20, "mark6fs -f does not mount")
try:
    # Found, but not listed.
    check(".mark6" not in os.listdir("mnt"), "the mount lists .mark6")
    same("its files", sorted(os.listdir("mnt/.mark6")), ["disks", "health", "stats.json"])
    status = os.stat("mnt/.mark6/health")
    check(stat.S_ISREG(status.st_mode) and status.st_mode & 0o222 == 0 and status.st_size == 0,
          f"health is {status}")
    check(stat.S_ISDIR(os.stat("mnt/.mark6").st_mode), ".mark6 is no directory")
    for name, flags in (("health", os.O_WRONLY), ("new", os.O_RDWR | os.O_CREAT)):
        try:
            os.close(os.open(f"mnt/.mark6/{name}", flags))
            check(False, f"{name} could be opened for writing")
        except OSError as error:
            check(error.errno in (errno.EROFS, errno.EACCES), f"{name}: {error}")
    check(not os.path.exists("mnt/.mark6/other"), "there is a file of any name")

    # What they say, while a scan is open.
    with open(f"mnt/{recording.scan}", "rb") as scan:
        same("bytes of the scan", len(scan.read()), len(recording.flat))
        stats = stats_check.checked(read("mnt/.mark6/stats.json"))
        same("program and target", (stats["program"], stats["target"]),
             ("mark6fs", os.path.abspath("mnt")))
        stream, = stats["streams"]
        same("the stream", (stream["scan"], stream["bytes"]),
             (recording.scan, len(recording.flat)))
        check(all(device["kernel_name"] is None or device["kernel_name"]
                  for device in stats["devices"]), "a device has an empty name")
        with open("mnt/.mark6/stats.json", encoding="utf-8") as first:
            head = first.read(10)
            other = read("mnt/.mark6/stats.json")  # another snapshot does not change this one
            stats_check.checked(head + first.read())
        stats_check.checked(other)
    wait_until(lambda: "not looked at yet" not in read("mnt/.mark6/health"), 20, "no health")
    health = read("mnt/.mark6/health")
    check(f"scan {recording.scan}: complete, 40 blocks\n" in health, health)
    check("scan holes_Xx_no0001.vdif: holes, 38 blocks, missing 2 7-8\n" in health, health)
    same("disks in health", health.count("\ndisk "), len(stats["devices"]))
    check("0 of " in health and "reads failed" in health, health)
    check("aqu-sz" in read("mnt/.mark6/disks"), read("mnt/.mark6/disks"))
    same("cat", subprocess.run(["cat", "mnt/.mark6/disks"], stdout=subprocess.PIPE,
                               check=True).stdout[:4], b"disk")

    # The other ways out.
    wait_until(lambda: os.path.exists("s.prom") and recording.scan in read("s.prom"), 20,
               "no statistics of the scan in s.prom")
    stats_check.check_prometheus(read("s.prom"))
    stats = stats_check.checked(stats_check.asked(process.pid))
    wait_until(lambda: stats_check.checked(stats_check.asked(process.pid))["ended"], 20,
               "the stream has not ended")
    same("streams that ended", [ended["scan"] for ended in stats["ended"]], [recording.scan])
    process.send_signal(signal.SIGUSR1)
    wait_until(lambda: "aqu-sz" in read("log"), 20, "no table in the log")
    os.remove("s.json")
finally:
    if is_mounted("mnt"):
        unmount("mnt")
same("exit code", process.wait(20), 0)
stats_check.checked(read("s.json"))
done = subprocess.run([program("mark6fs"), "-o", f"stats={recording.fragments[0]}",
                       os.path.abspath("r/disks/*/*"), "mnt"], stderr=subprocess.PIPE, check=False)
same("statistics over a fragment: exit code", done.returncode, 2)
check(not is_mounted("mnt"), "it has mounted all the same")
