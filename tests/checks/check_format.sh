#!/bin/bash
# SPDX-License-Identifier: MIT
# All C++ files are as clang-format would write them; `clang-format -i FILE` cures a complaint.
set -euo pipefail
cd "$(dirname "$0")/../.."
# shellcheck source=tests/checks/sources.sh
source tests/checks/sources.sh
if ! command -v clang-format >/dev/null; then
  echo "skipped: clang-format is not installed"
  exit 77
fi
list_files '*.cpp' '*.hpp' | xargs -0 -n 20 clang-format --dry-run --Werror
