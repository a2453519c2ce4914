# SPDX-License-Identifier: MIT
"""`mark6 iostat` reports the disks of the modules at an interval, as table, map and JSON lines."""
import json
import os
import signal
import subprocess

import e2e
import sgwrite

sgwrite.write("r", sgwrite.Shape(scan="a_Xx_1.vdif", modules=2, disks=3))
environment = {**os.environ, "MARK6_ROOT": os.path.abspath("r/disks/*/*")}
LABELS = [f"{module}/{disk}" for module in (1, 2) for disk in range(3)]


def iostat(*words):
    return subprocess.run([e2e.program("mark6"), "iostat", *words], env=environment, text=True,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False, timeout=60)


def kernel_name(path):
    """The whole disk below a directory, by /sys; None where its file system has no device."""
    number = os.stat(path).st_dev
    device = f"/sys/dev/block/{os.major(number)}:{os.minor(number)}"
    if not os.path.exists(device):
        return None
    real = os.path.realpath(device)
    is_partition = os.path.exists(f"{real}/partition")
    return os.path.basename(os.path.dirname(real) if is_partition else real)


done = iostat("--json", "-q", "0.2", "3")
e2e.same("exit code", done.returncode, 0)
e2e.same("stderr", done.stderr, "")
reports = [json.loads(line) for line in done.stdout.splitlines()]
e2e.same("reports", [r["report"] for r in reports],
         ["since_boot", "interval", "interval", "average"])
for report in reports:
    e2e.same("disks", [f"{d['module']}/{d['disk']}" for d in report["devices"]], LABELS)
expected = kernel_name("r/disks/1/0")
if expected:
    e2e.same("device", reports[0]["devices"][0]["kernel_name"], expected)
    e2e.same("shared with", reports[0]["devices"][0]["shared_with"], LABELS[1:])
e2e.check(reports[0]["seconds"] > reports[1]["seconds"] >= 0.15, "the machine ran before the test")

done = iostat("-x", "-y", "0.2", "1")
e2e.same("exit code", done.returncode, 0)
first_words = [line.split()[0] for line in done.stdout.splitlines() if line.strip()]
for label in [*LABELS, "DISK", "module", "total"]:
    e2e.check(label in first_words, f"no line for {label} in:\n{done.stdout}")
e2e.check("since boot" not in done.stdout, "-y leaves out the first report")

done = iostat("--map")
e2e.check("\nModule 1: " in done.stdout and "\nModule 2: " in done.stdout,
          f"no map in:\n{done.stdout}")
e2e.same("colours in a pipe", "\033" in done.stdout, False)

# Ctrl-C is how it ends when no COUNT is given.
with subprocess.Popen([e2e.program("mark6"), "iostat", "-q", "0.1"], env=environment,
                      stdout=subprocess.PIPE, text=True) as endless:
    lines = []
    while sum("DISK" in line for line in lines) < 3:
        lines.append(endless.stdout.readline())
    endless.send_signal(signal.SIGINT)
    rest = endless.stdout.read()
e2e.same("exit code after SIGINT", endless.returncode, 0)
e2e.check("average of" in rest, f"no average at the end:\n{rest}")

# Who reads no further is no error.
with subprocess.Popen([e2e.program("mark6"), "iostat", "0.1"], env=environment,
                      stdout=subprocess.PIPE, stderr=subprocess.PIPE) as left:
    left.stdout.readline()
    left.stdout.close()
    complaints = left.stderr.read().decode()
e2e.same("exit code after the pipe closed", left.returncode, 0)
e2e.check("write" not in complaints, f"complains: {complaints}")

done = iostat("--root", "/nowhere/*")
e2e.same("exit code without modules", done.returncode, 3)
e2e.same("exit code of a wrong COUNT", iostat("1", "0").returncode, 2)
