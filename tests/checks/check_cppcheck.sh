#!/bin/bash
# SPDX-License-Identifier: MIT
# cppcheck finds nothing in the library and the programs. What it finds wrongly is suppressed where
# it stands, with the reason: "// cppcheck-suppress ID ; reason".
set -euo pipefail
cd "$(dirname "$0")/../.."
if ! command -v cppcheck >/dev/null; then
  echo "skipped: cppcheck is not installed"
  exit 77
fi
cppcheck --quiet --error-exitcode=1 --inline-suppr -j "$(nproc)" \
  --enable=warning,performance,portability --std=c++20 --language=c++ -I . \
  -DMARK6_VERSION='"0"' --suppress=missingIncludeSystem common gather fuse tools
