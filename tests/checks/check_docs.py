#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Checks the documents: links between them lead somewhere, every source file they name in
backticks exists, and README.md fits on one screen.
"""
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
README_LINES = 60
LINK = re.compile(r"\[[^\]]*\]\(([^)\s#]+)(?:#[^)]*)?\)")
SOURCE = re.compile(r"`((?:common|fuse|gather|tools|tests|docs)/[\w./-]+\.(?:cpp|hpp|sh|py|md))`")


def faults():
    documents = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
    for document in documents:
        place = document.relative_to(ROOT)
        for number, line in enumerate(document.read_text(encoding="utf-8").splitlines(), 1):
            for target in LINK.findall(line):
                if "://" not in target and not (document.parent / target).exists():
                    yield f"{place}:{number}: the link {target} leads nowhere"
            for target in SOURCE.findall(line):
                if not (ROOT / target).exists():
                    yield f"{place}:{number}: there is no {target}"
    lines = len((ROOT / "README.md").read_text(encoding="utf-8").splitlines())
    if lines > README_LINES:
        yield f"README.md: {lines} lines; one screen is {README_LINES}"


def main():
    found = list(faults())
    print("\n".join(found) or "all links lead somewhere")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
