# SPDX-License-Identifier: MIT
"""`mark6 diagnose` reads what is there, writes nothing, and its JSON adds up with the disks."""
import json
import os
import subprocess

import e2e
import sgwrite

sgwrite.write("r", sgwrite.Shape(scan="a_Xx_1.vdif", modules=2, disks=3))
os.makedirs("r/disks/2/7/data")        # a disk without scans
environment = {**os.environ, "MARK6_ROOT": os.path.abspath("r/disks/*/*")}


def state_of_files():
    return {os.path.join(top, name): (os.stat(os.path.join(top, name)).st_size,
                                      os.stat(os.path.join(top, name)).st_mtime_ns)
            for top, folders, names in os.walk("r") for name in folders + names}


def diagnose(*arguments):
    return subprocess.run([e2e.program("mark6"), "diagnose", *arguments], env=environment,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False, timeout=100)


before = state_of_files()
done = diagnose("--seconds", "3", "--scaling", "--json")
e2e.check(done.returncode in (0, 1), f"exit code {done.returncode}: {done.stderr!r}")
report = json.loads(done.stdout)
e2e.same("schema", report["schema"], "mark6.diagnose/1")
labels = [f"{device['module']}/{device['disk']}" for device in report["devices"]]
e2e.same("disks", labels, ["1/0", "1/1", "1/2", "2/0", "2/1", "2/2", "2/7"])
for device in report["devices"]:
    e2e.check(device["verdict"] in ("slow", "suspect", "fine", "unknown"), f"verdict of {device}")
    e2e.check(device["reason"], f"no reason: {device}")
    e2e.same(f"{device['directory']}: was read", device["bytes"] > 0, device["disk"] != "7")
shares = [device["block_share"] for device in report["devices"] if device["disk"] != "7"]
e2e.check(abs(sum(shares) - 1) < 1e-6, f"shares of the blocks are {shares}")
e2e.same("steps", [step["disks"] for step in report["scaling"]], [1, 2, 4, 6])
e2e.check(1 <= len(report["summary"]) <= 5, f"summary: {report['summary']}")
e2e.same("the files", state_of_files(), before)

table = diagnose("--seconds", "2", "1", "2/7").stdout.decode()
for label in ["1/0", "1/1", "1/2", "2/7"]:
    e2e.check(any(line.startswith(label) for line in table.splitlines()), f"no {label} in: {table}")
e2e.check("no scans on it" in table, f"nothing about the empty disk: {table}")

e2e.same("exit code for a disk that is not there", diagnose("9/9").returncode, 3)
e2e.same("exit code for an unknown option", diagnose("--what").returncode, 2)
