#!/bin/bash
# SPDX-License-Identifier: MIT
# Runs unit tests built with a sanitizer: without address randomisation where that is allowed (see
# tests/run.sh), with every finding fatal, and with the seconds that each test case took, so that a
# log shows how far a run came. 77 when it could not be built on this machine.
set -euo pipefail
program=$1
if [[ ! -x $program ]]; then
  echo "skipped: $program is not there; programs of this sanitizer do not run on this machine"
  exit 77
fi
export ASAN_OPTIONS=detect_stack_use_after_return=1:strict_string_checks=1:abort_on_error=0
export UBSAN_OPTIONS=print_stacktrace=1:halt_on_error=1
export TSAN_OPTIONS=halt_on_error=1:second_deadlock_stack=1
if setarch -R true 2>/dev/null; then exec setarch -R "$@" -d yes; fi
exec "$@" -d yes
