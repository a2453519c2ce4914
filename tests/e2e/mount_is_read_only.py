# SPDX-License-Identifier: MIT
"""Nothing can be changed through the mount: every attempt ends with EROFS, also for root."""
import errno
import os

import e2e
import sgwrite

recording = sgwrite.write("r", sgwrite.Shape())
with e2e.Mount(recording.disk_glob) as mnt:
    scan, new = mnt.path(recording.scan), mnt.path("new")
    attempts = {
        "open for writing": lambda: os.open(scan, os.O_WRONLY),
        "open for both": lambda: os.open(scan, os.O_RDWR),
        "open with O_TRUNC": lambda: os.open(scan, os.O_RDONLY | os.O_TRUNC),
        "create": lambda: os.open(new, os.O_WRONLY | os.O_CREAT, 0o644),
        "unlink": lambda: os.unlink(scan),
        "rename": lambda: os.rename(scan, new),
        "truncate": lambda: os.truncate(scan, 0),
        "chmod": lambda: os.chmod(scan, 0o666),
        "chown": lambda: os.chown(scan, os.getuid(), os.getgid()),
        "utime": lambda: os.utime(scan),
        "mkdir": lambda: os.mkdir(new),
        "symlink": lambda: os.symlink("x", new),
        "link": lambda: os.link(scan, new),
        "setxattr": lambda: os.setxattr(scan, "user.note", b"x"),
    }
    for what, attempt in attempts.items():
        try:
            attempt()
            e2e.fail(f"{what}: succeeded")
        except OSError as error:
            e2e.same(what, errno.errorcode[error.errno], "EROFS")
    e2e.same("permission bits", os.stat(scan).st_mode & 0o222, 0)
    e2e.same("hash", e2e.hash_file(scan), recording.sha256)
