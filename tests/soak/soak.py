# SPDX-License-Identifier: MIT
"""The soak: workers read and compare while the main process takes things away from under them.

Run by tests/soak.sh (through e2e_run.py, which cleans up). Verdict: no wrong bytes, nothing that
hangs, no descriptors or memory that pile up, unmounting quick, all scans whole again at the end.
"""
import collections
import multiprocessing
import os
import queue
import random
import shutil
import subprocess
import sys
import tempfile
import time

import chaos
import e2e
import mounts
import readers
import stage
import worker

WORKERS = 6
HANG_SECONDS = 60
LATER_SECONDS = 20          # for a mount to see again what was brought back
RSS_MIB = mounts.MEMORY_MIB + 192
# Without index=walk several readers of a proven scan stall here (docs/reliability.md, "Known").
KERNEL_CACHE = ("cache=kernel", *os.environ.get("SOAK_KERNEL_INDEX", "index=walk").split())
SPARE_FDS = 8               # threads of libfuse, and what the kernel releases late


class Soak:
    """The state of a run; `run()` is its story."""

    def __init__(self, seconds, seed, directories):
        self.seconds, self.seed = seconds, seed
        self.dice = random.Random(seed)
        self.directories = directories
        self.counts = collections.Counter()
        self.events = collections.Counter()
        self.bytes = 0
        self.problems = []
        self.longest_unmount = 0.0
        self.hung = set()

    def run(self):
        e2e.needs_fuse()
        self.scans = stage.make(self.directories)
        sources = stage.globs(self.directories)
        self.mounts = [mounts.SoakMount(os.path.abspath(f"mnt{n}"), sources, options, shared)
                       for n, (options, shared) in enumerate((((), False),
                                                              (KERNEL_CACHE, True),
                                                              (("index=walk", "timeout=5"), False)))]
        self.troubles = [chaos.Trouble(s, self.dice) for s in self.scans if s.troubled]
        for mount in self.mounts:
            mount.start()
        self.start_workers()
        self.make_trouble()
        self.end_workers()
        self.settle()
        return self.verdict()

    def start_workers(self):
        context = multiprocessing.get_context("fork")
        self.stop, self.reports = context.Event(), context.Queue()
        self.places = [worker.Place(context) for _ in range(WORKERS)]
        self.workers = [context.Process(target=worker.work, daemon=True,
                                        args=(n, self.seed, place, self.mounts, self.scans,
                                              self.stop, self.reports, os.getcwd()))
                        for n, place in enumerate(self.places)]
        for process in self.workers:
            process.start()

    def make_trouble(self):
        end = time.monotonic() + self.seconds
        while time.monotonic() < end and not self.hung:
            self.listen(self.dice.uniform(0.1, 1.2))
            self.dice.choices((self.trouble, self.kill, self.leave, self.hang_up), (8, 2, 2, 3))[0]()
            for mount in self.mounts:
                if mount.rss_mib() > RSS_MIB:
                    self.problem(f"{mount.point}: {mount.peak_rss_mib} MiB of memory")

    def problem(self, sentence):
        print(f"soak: {sentence}", file=sys.stderr, flush=True)
        self.problems.append(sentence)

    def listen(self, seconds):
        """Takes reports for so long, and looks whether all workers get on."""
        end = time.monotonic() + seconds
        while (left := end - time.monotonic()) > 0:
            try:
                operation, outcome, count, sentence = self.reports.get(timeout=min(left, 0.2))
            except queue.Empty:
                self.look_for_hangs()
                continue
            self.counts[operation, outcome] += 1
            self.bytes += count
            if outcome in ("wrong", "unexplained"):
                self.problem(f"{outcome}: {sentence}")
        self.look_for_hangs()

    def look_for_hangs(self):
        for number, (place, process) in enumerate(zip(self.places, self.workers)):
            since = place.since.value
            if number in self.hung:
                continue
            if not process.is_alive() and not self.stop.is_set():
                self.hung.add(number)
                self.problem(f"a worker died in: {place.what.value.decode()}")
            elif since and time.monotonic() - since > HANG_SECONDS:
                self.hung.add(number)
                self.problem(f"hangs: {place.what.value.decode()}, on mount {place.mount.value}")
                self.dump(process.pid, place.mount.value)

    def dump(self, pid, index):
        """What is worth knowing of an operation that hangs, before anything is killed."""
        pids = [pid] + ([self.mounts[index].process.pid] if index >= 0 else [])
        for one in pids:
            subprocess.run(f"tail -n +1 /proc/{one}/task/*/stack", shell=True, check=False,
                           stdout=sys.stderr)
        subprocess.run("grep . /sys/fs/fuse/connections/*/waiting", shell=True, check=False,
                       stdout=sys.stderr, stderr=subprocess.DEVNULL)
        if index >= 0:
            print(f"mount: epoch {self.mounts[index].epoch.value}", file=sys.stderr)
            if shutil.which("gdb"):
                subprocess.run(["gdb", "-batch", "-nx", "-p", str(pids[1]), "-ex",
                                "thread apply all bt"], check=False, timeout=60,
                               stdin=subprocess.DEVNULL, stdout=sys.stderr)

    def trouble(self):
        trouble = self.dice.choice(self.troubles)
        if trouble.kind is None:
            self.events["fragment " + trouble.begin()] += 1
        else:
            trouble.end()
            self.events["fragment brought back"] += 1
            if self.dice.random() < 0.7:
                self.hang_up()

    def hang_up(self):
        self.events["SIGHUP"] += 1
        self.dice.choice(self.mounts).hang_up()

    def kill(self):
        mount = self.dice.choice(self.mounts)
        self.events["mount killed and replaced"] += 1
        mount.kill()
        self.listen(self.dice.uniform(0, 0.3))
        mount.start()

    def leave(self):
        """A polite unmount of a mount that nobody uses; before it, nothing of it may be left open."""
        mount = self.dice.choice(self.mounts)
        if not self.close(mount):
            return
        self.events["mount left and mounted again"] += 1
        most = mount.idle_fds + SPARE_FDS
        end = time.monotonic() + 5              # releases are asynchronous
        while mount.count_fds() > most and time.monotonic() < end:
            self.listen(0.1)
        if mount.count_fds() > most:
            self.problem(f"{mount.point}: {mount.count_fds()} descriptors, {mount.idle_fds} at first")
        took, code = mount.leave(self.dice.random() < 0.5)
        self.longest_unmount = max(self.longest_unmount, took)
        if took > mounts.UNMOUNT_SECONDS:
            self.problem(f"{mount.point}: unmounting took {took:.1f} s")
        if code != 0:
            self.problem(f"{mount.point}: mark6fs ended with {code}")
        mount.start()

    def close(self, mount):
        """Has all readers leave the mount; false when one hangs."""
        index = self.mounts.index(mount)
        mount.closed.value = 1
        while any(place.mount.value == index for place in self.places):
            self.listen(0.05)
            if self.hung:
                return False
        return True

    def end_workers(self):
        self.stop.set()
        end = time.monotonic() + HANG_SECONDS + 5
        while any(p.is_alive() for p in self.workers) and time.monotonic() < end and not self.hung:
            self.listen(0.2)
        self.listen(0.2)
        for process in self.workers:
            process.kill()

    def settle(self):
        """All is brought back: every mount must serve every scan whole again."""
        for trouble in self.troubles:
            if trouble.kind is not None:
                trouble.end()
        for mount in self.mounts:
            if self.hung:
                mount.kill()
                continue
            mount.hang_up()
            for scan in self.scans:
                self.expect_whole(mount, scan)
            most = mount.idle_fds + SPARE_FDS
            end = time.monotonic() + 10
            while mount.count_fds() > most and time.monotonic() < end:
                time.sleep(0.1)
            if mount.count_fds() > most:
                self.problem(f"{mount.point}: {mount.count_fds()} descriptors at the end, "
                             f"{mount.idle_fds} at first")
            took, _ = mount.leave(False)
            self.longest_unmount = max(self.longest_unmount, took)

    def expect_whole(self, mount, scan):
        end = time.monotonic() + LATER_SECONDS
        path = os.path.join(mount.point, scan.name)
        while True:
            try:
                if os.stat(path).st_size == scan.size or scan.spoilt:
                    self.bytes += readers.whole_read(path, scan, self.dice)
                    return
                error = f"a size of {os.stat(path).st_size}, {scan.size} when whole"
            except (OSError, readers.Wrong) as found:
                error = repr(found)
                if scan.spoilt and isinstance(found, OSError):
                    return
            if time.monotonic() > end:
                self.problem(f"at the end, {path}: {error}")
                return
            time.sleep(0.2)

    def verdict(self):
        for operation in sorted({name for name, _ in self.counts}):
            outcomes = ", ".join(f"{self.counts[operation, o]} {o}"
                                 for o in ("right", "no bytes", "wrong", "unexplained"))
            print(f"  {operation}: {outcomes}")
        print("  " + ", ".join(f"{count} x {what}" for what, count in sorted(self.events.items())))
        peak = max(mount.peak_rss_mib for mount in self.mounts)
        print(f"  {self.bytes / 1e9:.2f} GB compared; longest unmount {self.longest_unmount:.2f} s; "
              f"at most {peak} MiB in a mount; seed {self.seed}")
        idle = [o for o in set(worker.OPERATIONS) if not self.counts[o, "right"]]
        if idle:
            self.problem(f"never went right: {', '.join(idle)}")
        print(f"soak: {'FAILED, ' + str(len(self.problems)) + ' problems' if self.problems else 'passed'}")
        return 1 if self.problems else 0


def main():
    seconds = float(os.environ.get("SOAK_SECONDS", 600))
    seed = os.environ.get("SOAK_SEED", str(int(time.time())))
    directories = {"disk": os.getcwd(), "memory": os.getcwd()}
    memory = None
    if os.access("/dev/shm", os.W_OK) and shutil.disk_usage("/dev/shm").free > 512 << 20:
        memory = directories["memory"] = tempfile.mkdtemp(prefix="mark6-soak-", dir="/dev/shm")
    try:
        return Soak(seconds, seed, directories).run()
    finally:
        if memory:
            shutil.rmtree(memory, ignore_errors=True)


if __name__ == "__main__":
    sys.exit(main())
