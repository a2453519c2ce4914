#!/bin/bash
# SPDX-License-Identifier: MIT
# All shell scripts pass shellcheck.
set -euo pipefail
cd "$(dirname "$0")/../.."
# shellcheck source=tests/checks/sources.sh
source tests/checks/sources.sh
if ! command -v shellcheck >/dev/null; then
  echo "skipped: shellcheck is not installed"
  exit 77
fi
{ list_files '*.sh' && printf '.ci/run\0'; } | xargs -0 shellcheck --external-sources
