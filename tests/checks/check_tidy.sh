#!/bin/bash
# SPDX-License-Identifier: MIT
# All C++ files pass clang-tidy with the checks of .clang-tidy. The argument is a build directory
# with compile_commands.json.
set -euo pipefail
build=$1
cd "$(dirname "$0")/../.."
# shellcheck source=tests/checks/sources.sh
source tests/checks/sources.sh
if ! command -v clang-tidy >/dev/null; then
  echo "skipped: clang-tidy is not installed"
  exit 77
fi
list_files '*.cpp' | xargs -0 -n 1 -P "$(nproc)" clang-tidy --quiet -p "$build"
