# SPDX-License-Identifier: MIT
"""Pages that a consumer splices onward and keeps are never written again.

The consumer moves the stream from pipe to pipe without a copy, keeps as much as it may, and hashes
it long after mark6gather went on. A buffer used twice would show here, and only here.
"""
import collections
import fcntl
import hashlib
import os
import subprocess

import e2e
import sgwrite

F_SETPIPE_SZ = 1031
KEPT_PIPES = 40 if os.geteuid() == 0 else 12        # other users may have 64 MiB in pipes
recording = sgwrite.write("r", sgwrite.Shape(packet_bytes=8032, packets_per_block=124, blocks=160,
                                             placement="recorder"))


def new_pipe():
    pipe = os.pipe()
    try:
        fcntl.fcntl(pipe[1], F_SETPIPE_SZ, e2e.MIB)
    except PermissionError:
        pass                                        # then it keeps 64 KiB
    return pipe


def drain(pipe, digest):
    os.close(pipe[1])
    while part := os.read(pipe[0], e2e.MIB):
        digest.update(part)
    os.close(pipe[0])


def hash_late(stream):
    digest = hashlib.sha256()
    kept = collections.deque()
    ended = False
    while not ended:
        pipe = new_pipe()
        os.set_blocking(pipe[1], False)
        try:                                        # until the pipe has no room, or the stream ends
            while os.splice(stream, pipe[1], e2e.MIB):
                pass
            ended = True
        except BlockingIOError:
            pass
        kept.append(pipe)
        if len(kept) > KEPT_PIPES:
            drain(kept.popleft(), digest)
    for pipe in kept:
        drain(pipe, digest)
    return digest.hexdigest()


for _ in range(3):
    with subprocess.Popen([e2e.program("mark6gather"), "-q", *recording.fragments, "-"],
                          stdout=subprocess.PIPE) as process:
        e2e.same("hash", hash_late(process.stdout.fileno()), recording.sha256)
    e2e.same("exit code", process.returncode, 0)
