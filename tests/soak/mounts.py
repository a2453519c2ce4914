# SPDX-License-Identifier: MIT
"""The mounts of the soak, each a mark6fs that is killed, replaced, and unmounted politely.

Readers say where they are (in shared memory), so that a polite unmount can wait for them to leave.
"""
import multiprocessing
import os
import signal
import subprocess
import time

import e2e

UNMOUNT_SECONDS = 2
MEMORY_MIB = 64


class SoakMount:
    """One mount point. `epoch` is odd while nothing serves there; it never goes back."""

    def __init__(self, point, sources, options, shared):
        self.point, self.sources, self.options = point, sources, options
        self.shared = shared                    # MAP_SHARED works there
        self.epoch = multiprocessing.Value("i", 1)
        self.closed = multiprocessing.Value("i", 1)
        self.process = None
        self.idle_fds = None
        self.peak_rss_mib = 0
        os.makedirs(point, exist_ok=True)

    def start(self):
        command = [e2e.program("mark6fs"), "-f", "-q", *self.sources, self.point,
                   "-o", f"memory={MEMORY_MIB}M"]
        for option in self.options:
            command += ["-o", option]
        with open(self.point + ".log", "ab") as log:
            self.process = subprocess.Popen(command, stderr=log, stdout=log)
        e2e.wait_until(lambda: e2e.is_mounted(self.point) or self.process.poll() is not None, 20,
                       f"{self.point}: mark6fs does not mount")
        e2e.check(self.process.poll() is None, f"{self.point}: mark6fs ended, see its log")
        if self.idle_fds is None:
            time.sleep(1)
            self.idle_fds = self.count_fds()
        with self.epoch:
            self.epoch.value += 1
        self.closed.value = 0

    def count_fds(self):
        return len(os.listdir(f"/proc/{self.process.pid}/fd"))

    def rss_mib(self):
        """Anonymous memory: what a leak makes grow."""
        with open(f"/proc/{self.process.pid}/status", encoding="ascii") as file:
            for line in file:
                if line.startswith("RssAnon:"):
                    self.peak_rss_mib = max(self.peak_rss_mib, int(line.split()[1]) >> 10)
        return self.peak_rss_mib

    def kill(self):
        """kill -9, and the dead mount is taken away; readers get errors from now on."""
        with self.epoch:
            self.epoch.value += 1
        self.process.kill()
        self.process.wait()
        subprocess.run(["fusermount3", "-uz", self.point], check=False)

    def hang_up(self):
        self.process.send_signal(signal.SIGHUP)

    def leave(self, by_signal):
        """Unmounts when no reader is there (the caller saw to that); how long that took."""
        with self.epoch:
            self.epoch.value += 1
        started = time.monotonic()
        if by_signal:
            self.process.send_signal(signal.SIGTERM)
        else:
            subprocess.run(["fusermount3", "-u", self.point], check=True)
        code = self.process.wait(60)
        took = time.monotonic() - started
        return took, code
