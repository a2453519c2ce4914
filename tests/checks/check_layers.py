#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Checks the floors of docs/design.md: a file includes only what lies below it or beside it.

Programs (fuse, gather, tools) use common/ and never each other; the rooms of common/ use those
named in ALLOWED; common/ knows nothing of FUSE, of CLI11 or of stdout.
"""
import pathlib
import re
import sys
import tempfile

# Which rooms of common/ a room may use, beside itself. docs/design.md shows the same as a picture.
ALLOWED = {
    "base": set(),
    "os": {"base"},
    "vdif": {"base"},
    "sg": {"base", "vdif"},
    "catalog": {"base", "os", "vdif", "sg"},
    "account": {"base", "os"},
    "read": {"base", "os", "sg", "account"},
    "report": {"base", "os", "sg", "account"},
}
PROGRAMS = ("fuse", "gather", "tools")
INCLUDE = re.compile(r'^\s*#\s*include\s*([<"])([^>"]+)[>"]')
FORBIDDEN_IN_COMMON = re.compile(r"^(fuse|fuse3|CLI)/|^(fuse|fuse_lowlevel|iostream)(\.h)?$")
STDOUT = re.compile(r"\bstd::cout\b|\bSTDOUT_FILENO\b|(?<![\w:])(std::)?(printf|puts|putchar)\s*\(")
# The one place that names the process's own descriptors.
KNOWS_STDOUT = {"common/base/environment.cpp"}


def includes_of(path):
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        match = INCLUDE.match(line)
        if match:
            yield number, match.group(1) == '"', match.group(2)


def fault_in_common(room, quoted, target):
    if FORBIDDEN_IN_COMMON.search(target):
        return "common/ knows nothing of FUSE, CLI11 or stdout"
    if not quoted:
        return None
    parts = target.split("/")
    if parts[0] != "common":
        return "common/ uses nothing above itself"
    if parts[1] != room and parts[1] not in ALLOWED[room]:
        return f"common/{room} may use {', '.join(sorted(ALLOWED[room])) or 'nothing'}"
    return None


def faults(root):
    for path in sorted(root.glob("*/**/*.[ch]pp")):
        place = path.relative_to(root)
        top = place.parts[0]
        if top != "common" and top not in PROGRAMS:
            continue
        room = place.parts[1] if top == "common" else None
        if top == "common" and room not in ALLOWED:
            yield f"{place}: common/{room} stands on no floor of docs/design.md"
            continue
        for number, quoted, target in includes_of(path):
            if ".." in target.split("/"):
                yield f"{place}:{number}: includes {target}: paths start at the project's root"
            elif top == "common":
                fault = fault_in_common(room, quoted, target)
                if fault:
                    yield f"{place}:{number}: includes {target}: {fault}"
            elif quoted and target.split("/")[0] not in ("common", top):
                yield f"{place}:{number}: includes {target}: {top}/ uses common/ and itself only"
        if top == "common" and str(place) not in KNOWS_STDOUT:
            for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
                if STDOUT.search(line.split("//")[0]):
                    yield f"{place}:{number}: common/ knows nothing of stdout"


def self_test():
    """Each of these files breaks one rule; a check that lets one pass is no check."""
    broken = {
        "common/base/a.hpp": '#include "common/os/file.hpp"\n',
        "common/sg/b.cpp": '#include "common/catalog/catalog.hpp"\n',
        "common/read/c.cpp": '#include "common/catalog/catalog.hpp"\n',
        "common/catalog/d.cpp": '#include "common/read/read_engine.hpp"\n',
        "common/report/e.cpp": "#include <CLI/CLI.hpp>\n",
        "common/os/f.cpp": "#include <fuse_lowlevel.h>\n",
        "common/vdif/g.cpp": 'void g() { printf("x"); }\n',
        "common/account/h.cpp": '#include "tools/run.hpp"\n',
        "gather/i.cpp": '#include "tools/run.hpp"\n',
        "fuse/j.cpp": '#include "../common/base/error.hpp"\n',
        "common/cellar/k.hpp": "",
    }
    sound = {
        "common/sg/z.cpp": '#include "common/vdif/header.hpp"\n#include <cstdio>\n',
        "tools/y.cpp": '#include <CLI/CLI.hpp>\n#include "common/read/read_engine.hpp"\n',
    }
    with tempfile.TemporaryDirectory() as name:
        root = pathlib.Path(name)
        for path, text in {**broken, **sound}.items():
            (root / path).parent.mkdir(parents=True, exist_ok=True)
            (root / path).write_text(text)
        found = {line.split(":")[0] for line in faults(root)}
    for path in sorted(set(broken) - found):
        print(f"not found: {path}")
    for path in sorted(found - set(broken)):
        print(f"wrongly found: {path}")
    return 0 if found == set(broken) else 1


def main():
    if sys.argv[1:] == ["--self-test"]:
        return self_test()
    found = list(faults(pathlib.Path(__file__).resolve().parents[2]))
    print("\n".join(found) or "all floors include only what lies below them")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
