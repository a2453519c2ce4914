# SPDX-License-Identifier: MIT
"""stdout may be a socket: Unix and TCP over loopback, with a reader that is slow at first."""
import hashlib
import socket
import subprocess
import time

import e2e
import sgwrite

recording = sgwrite.write("r", sgwrite.Shape(packet_bytes=8032, packets_per_block=124, blocks=20))


def tcp_pair():
    with socket.create_server(("127.0.0.1", 0)) as server:
        client = socket.create_connection(server.getsockname())
        return server.accept()[0], client


# A Unix socket closed by its reader is like a pipe: it has had enough. A reset TCP connection may
# also be a reader that crashed.
for make, codes_of_a_close in ((socket.socketpair, (0,)), (tcp_pair, (0, 4))):
    ours, theirs = make()
    process = subprocess.Popen([e2e.program("mark6gather"), "-q", *recording.fragments, "-"],
                               stdout=theirs)
    theirs.close()
    time.sleep(0.3)
    digest = hashlib.sha256()
    while part := ours.recv(100_000):
        digest.update(part)
    e2e.same(f"{make.__name__}: exit code", process.wait(20), 0)
    e2e.same(f"{make.__name__}: hash", digest.hexdigest(), recording.sha256)
    ours.close()

    ours, theirs = make()
    process = subprocess.Popen([e2e.program("mark6gather"), "-q", *recording.fragments, "-"],
                               stdout=theirs)
    theirs.close()
    ours.recv(1000)
    ours.close()
    e2e.check(process.wait(20) in codes_of_a_close,
              f"{make.__name__}: exit code {process.returncode} after a close")
