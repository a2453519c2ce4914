# SPDX-License-Identifier: MIT
"""mark6gather --follow delivers blocks while they are written, torn and reserved ones only when
they are whole, fragments that appear later too, and ends when the list of scans says so."""
import os
import struct
import subprocess
import threading
import time

import e2e
import sgread
import sgwrite

recording = sgwrite.write("r", sgwrite.Shape(packet_bytes=1032, blocks=40, metadata=False,
                                             placement="random"))
expected = e2e.gathered(recording)
contents = [open(path, "rb").read() for path in recording.fragments]
order = sorted((number, index, at - 8, size + 8) for index, path in enumerate(recording.fragments)
               for number, _, at, size in sgread.walk(os.open(path, os.O_RDONLY)))
for path in recording.fragments:
    os.unlink(path)
meta = os.path.join("r", "disks", ".meta", "1", "0")
os.makedirs(meta)


def list_as(status):
    with open(os.path.join(meta, "slist.new"), "w", encoding="utf-8") as file:
        file.write(f"{{1: {{'sn': 'exp1_Xx_no0001', 'status': '{status}'}}}}")
    os.rename(file.name, os.path.join(meta, "slist"))


def put(index, at, data):
    path = recording.fragments[index]
    fd = os.open(path, os.O_WRONLY | os.O_CREAT, 0o644)
    os.pwrite(fd, data, at)
    os.close(fd)


def begin(index):
    put(index, 0, contents[index][:20])


def write_slowly():
    for step, (_, index, at, size) in enumerate(order):
        if not os.path.exists(recording.fragments[index]):
            begin(index)
        block = contents[index][at:at + size]
        if step % 3 == 0:                           # half the header, then torn
            put(index, at, block[:4])
            time.sleep(0.05)
            put(index, at, block[:size // 2])
            time.sleep(0.25)
        elif step % 3 == 1:                         # reserved space, filled later
            put(index, at, bytes(size))
            time.sleep(0.25)
        put(index, at, block)
        time.sleep(0.05)
    list_as("recorded")


def followed(*options):
    return subprocess.Popen([e2e.program("mark6gather"), "--follow", *options, "--root",
                             "r/disks/*/*", recording.scan, "-"], stdout=subprocess.PIPE,
                            stderr=subprocess.PIPE, bufsize=0)


def read_exactly(process, size):
    """communicate() would not see what a buffered reader had read beyond `size`."""
    data = b""
    while len(data) < size:
        more = process.stdout.read(size - len(data))
        e2e.check(more, f"the stream ended after {len(data)} of {size} bytes")
        data += more
    return data


list_as("pending")
begin(order[0][1])
writer = threading.Thread(target=write_slowly)
process = followed()
writer.start()
first = read_exactly(process, 4 * 10320)
e2e.check(writer.is_alive(), "blocks come only when all is written")
out, err = process.communicate(timeout=60)
writer.join()
e2e.same(f"exit code ({err.decode()})", process.returncode, 0)
e2e.check(first + out == recording.flat, f"wrong bytes: {len(first + out)}, {len(recording.flat)}")
e2e.same("a plain gather afterwards", e2e.gathered(recording), expected)

# Nothing grows and no list says that it is over: the time-out ends it. Then: a fragment is replaced.
list_as("pending")
process = followed("--follow-timeout", "3")
out, _ = process.communicate(timeout=30)
e2e.check(out == recording.flat, "wrong bytes at the time-out")
e2e.same("exit code at the time-out", process.returncode, 0)
process = followed()
read_exactly(process, 10320)
with open("other", "wb") as other:
    other.write(contents[0])
os.rename("other", recording.fragments[0])
_, err = process.communicate(timeout=30)
e2e.same("exit code when a fragment is replaced", process.returncode, 4)
e2e.check(b"has been replaced" in err, err.decode())
