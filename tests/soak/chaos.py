# SPDX-License-Identifier: MIT
"""What goes wrong during the soak: fragments of the troubled scans are renamed, cut, replaced by
things that are no files, and brought back; at most one of a scan at a time.
"""
import os


class Trouble:
    """One troubled scan: what its fragments held, and what is wrong with them now."""

    KINDS = ("renamed", "cut", "cut and filled up", "emptied", "directory", "fifo", "replaced")

    def __init__(self, scan, dice):
        self.scan, self.dice = scan, dice
        self.contents = []
        for path in scan.fragments:
            with open(path, "rb") as file:
                self.contents.append(file.read())
        self.kind = None
        self.at = None

    def begin(self):
        self.at = self.dice.randrange(len(self.scan.fragments))
        self.kind = self.dice.choice(self.KINDS)
        path, content = self.scan.fragments[self.at], self.contents[self.at]
        if self.kind in ("cut", "cut and filled up"):
            os.truncate(path, self.dice.randrange(21, len(content)))
        elif self.kind == "emptied":
            os.truncate(path, self.dice.randrange(20))
        elif self.kind == "replaced":           # the same bytes in another file
            self.write_anew(path, content)
        else:
            os.rename(path, path + ".away")
            if self.kind == "directory":
                os.mkdir(path)
            elif self.kind == "fifo":
                os.mkfifo(path)
        return self.kind

    def end(self):
        """Brings the fragment back; what was wrong."""
        path, content = self.scan.fragments[self.at], self.contents[self.at]
        if self.kind == "cut and filled up":    # in the same file, as it grew when it was recorded
            size = os.path.getsize(path)
            with open(path, "ab") as file:
                file.write(content[size:])
        elif self.kind in ("cut", "emptied"):
            self.write_anew(path, content)
        elif self.kind != "replaced":
            if self.kind == "directory":
                os.rmdir(path)
            os.rename(path + ".away", path)
        kind, self.kind = self.kind, None
        return kind

    @staticmethod
    def write_anew(path, content):
        with open(path + ".new", "wb") as file:
            file.write(content)
        os.rename(path + ".new", path)
