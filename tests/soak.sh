#!/bin/bash
# SPDX-License-Identifier: MIT
# A soak: readers, streams and mounts over recordings whose fragments are renamed, cut, replaced and
# brought back, while mounts are killed and programs interrupted. Every byte is compared.
#   tests/soak.sh [SECONDS]     default 600; ends with counts and a verdict, exit code 0 or 1
# MARK6_BIN: where the programs are; TMPDIR: where the recordings are laid (0.5 GB; some in /dev/shm
# where there is one); SOAK_SEED: the same faults once more (the order of things remains the machine's).
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
seconds=${1:-600}
if [ -z "${MARK6_BIN-}" ]; then
  for preset in release dev; do
    MARK6_BIN=$here/../build/$preset/bin
    [ ! -x "$MARK6_BIN/mark6fs" ] || break
  done
fi
export MARK6_BIN SOAK_SECONDS=$seconds
exec python3 "$here/support/e2e_run.py" --limit $((seconds + 180)) "$here/soak/soak.py"
