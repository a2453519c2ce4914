# SPDX-License-Identifier: MIT
"""The operations of the soak that run mark6gather: to its end, to a closed pipe, to SIGINT."""
import os
import signal
import subprocess
import time

import e2e
from readers import Broken, Wrong

SOON_SECONDS = 5            # for a stream that is told to end
PLAIN, CLOSED, INTERRUPTED, PART, FILE = range(5)
WAYS = (PLAIN, CLOSED, INTERRUPTED, PART, FILE)


def stream(scan, dice, directory):
    """Runs one; returns the bytes compared."""
    way = dice.choice(WAYS)
    begin, end = 0, scan.size
    words = ["-q"]
    if way == PART and not scan.may_fail:
        begin = dice.randrange(scan.size)
        end = min(scan.size, begin + dice.randint(1, 8 << 20))
        words += ["--skip", str(begin), "--bytes", str(end - begin)]
    if dice.random() < 0.3:
        words += ["--memory", "32M"]
    if dice.random() < 0.3:
        words += ["--errors", "fail"]
    command = [e2e.program("mark6gather"), *words, *scan.fragments]
    if way == FILE:
        return to_file(command, scan, os.path.join(directory, f"out-{os.getpid()}"))
    code, data, asked = run(command, way, dice, scan)
    judge(scan, way, code, data, (begin, end), asked)
    return len(data)


def run(command, way, dice, scan):
    """Exit code (None: killed by us for not ending), bytes, whether it was asked to end early."""
    enough = dice.randrange(scan.size) if way in (CLOSED, INTERRUPTED) else None
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                          bufsize=0) as process:
        data = bytearray()
        while part := os.read(process.stdout.fileno(), 1 << 20):
            data += part
            if enough is not None and len(data) >= enough:
                break
        else:
            return process.wait(), bytes(data), False
        if way == CLOSED:
            process.stdout.close()
        else:
            process.send_signal(signal.SIGINT)
            started = time.monotonic()
            while part := os.read(process.stdout.fileno(), 1 << 20):
                data += part
            if time.monotonic() - started > SOON_SECONDS:
                raise Wrong("mark6gather: SIGINT did not end the stream in time")
        try:
            return process.wait(SOON_SECONDS), bytes(data), True
        except subprocess.TimeoutExpired:
            process.kill()
            raise Wrong("mark6gather: does not end, though asked to") from None


def judge(scan, way, code, data, wanted, asked):
    begin, end = wanted
    expected = scan.flat[begin:end]
    if asked:
        fine = (0, 1) if way == CLOSED else (0, 1, 5)
        right = expected.startswith(data)
        if data == expected:                    # it may just have been leaving
            fine += (-signal.SIGINT,)
    else:
        fine = (0,) if not scan.holes else (1,) if end - begin == scan.size else (0, 1)
        right = data == expected
    if scan.may_fail:
        whole = data[:len(data) - len(data) % scan.packet_bytes]    # it may stop amid a packet
        right = right or scan.is_made_of_its_packets(whole)
        fine = (0, 1, 3, 4, 5) if asked else (0, 1, 3, 4)
        # What is not whole must not be called so.
        if not asked and code == 0 and not any(v.read(v.size, 0) == data
                                               for v in scan.views(len(data))):
            raise Wrong(f"mark6gather {scan.name}: exit code 0, but {len(data)} of {scan.size} bytes")
    if not right:
        raise Wrong(f"mark6gather {scan.name}: wrong bytes, {len(data)} read of [{begin}, {end}), "
                    f"exit code {code}, asked to end: {asked}")
    if code not in fine:
        raise Broken(f"mark6gather {scan.name}: exit code {code}")


def to_file(command, scan, out):
    """To a file, then --append: nothing is left to do."""
    try:
        code = subprocess.run([*command, "-o", out], check=False, stderr=subprocess.DEVNULL,
                              stdout=subprocess.DEVNULL).returncode
        data = b""
        if os.path.exists(out):
            with open(out, "rb") as file:
                data = file.read()
        judge(scan, PLAIN, code, data, (0, scan.size), False)
        if not scan.may_fail:
            os.truncate(out, len(data) // 3)
            code = subprocess.run([*command, "--append", "-o", out], check=False,
                                  stderr=subprocess.DEVNULL,
                                  stdout=subprocess.DEVNULL).returncode
            with open(out, "rb") as file:
                judge(scan, PLAIN, code, file.read(), (0, scan.size), False)
        return len(data)
    finally:
        if os.path.exists(out):
            os.unlink(out)
