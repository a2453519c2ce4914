#!/bin/bash
# SPDX-License-Identifier: MIT
# Which lines the unit tests run (the target `coverage` of the preset of that name): a line for each
# file of common/sg, then the sums of common/sg, which must be 98 %, and of common/, 90 %. The
# argument is the build directory.
set -euo pipefail
build=$(realpath "$1")
cd "$(dirname "$0")/../.."
find "$build" -name '*.gcda' -delete
"$build/bin/unit_tests" '[unit]'

lines_of() {
  gcovr --root . --object-directory "$build" --filter "$1" --exclude-throw-branches \
    --gcov-ignore-parse-errors -j "$(nproc)" "${@:2}"
}
lines_of 'common/sg/' --fail-under-line 98
lines_of 'common/' --fail-under-line 90
