# shellcheck shell=bash
# SPDX-License-Identifier: MIT
# What the end-to-end tests in shell have in common: `. "$E2E_LIB"` first. The programs under their
# names, small recordings, mounts that are taken down at the end, and checks that say what differs.
# Its Python twin is e2e.py; e2e_run.py starts both kinds.
set -euo pipefail

mark6() { "$MARK6_BIN/mark6" "$@"; }
mark6fs() { "$MARK6_BIN/mark6fs" "$@"; }
mark6gather() { "$MARK6_BIN/mark6gather" "$@"; }

fail() { echo "FAILED: $*" >&2; exit 1; }
skip() { echo "skipped: $*" >&2; exit 77; }

# recording ROOT [sgwrite options]: lays a recording there, its flat stream in ROOT.flat.
recording() {
  python3 "$E2E_SUPPORT/sgwrite.py" "$1" --flat "$1.flat" "${@:2}" > /dev/null
}

needs_fuse() {
  [ -e /dev/fuse ] || skip "this machine has no /dev/fuse"
  command -v fusermount3 > /dev/null || skip "this machine has no fusermount3"
}

# Needs a program that is not part of Debian's base system.
needs() { command -v "$1" > /dev/null || skip "this machine has no $1"; }

e2e_mounts=()
unmount_all() {
  local point
  for point in "${e2e_mounts[@]}"; do
    ! mountpoint -q "$point" || fusermount3 -u "$point"
  done
}
trap unmount_all EXIT

# mounted POINT ARGUMENT...: mark6fs ARGUMENT... POINT; unmounted when the test ends.
mounted() {
  needs_fuse
  mkdir -p "$1"
  e2e_mounts+=("$1")
  mark6fs "${@:2}" "$1"
}

# exits CODE COMMAND...: the command must end with this exit code.
exits() {
  local code=0
  "${@:2}" || code=$?
  [ "$code" = "$1" ] || fail "exit code $code, expected $1: ${*:2}"
}

# same EXPECTED ACTUAL: two files with the same bytes.
same() { cmp "$1" "$2" >&2 || fail "$2 differs from $1"; }

# says FILE WORD...: each extended regular expression is found in the file, whatever the case.
says() {
  local word
  for word in "${@:2}"; do
    grep -qiE -- "$word" "$1" || { cat "$1" >&2; fail "nothing like '$word' in $1"; }
  done
}

# quiet FILE: nothing was written there.
quiet() { [ ! -s "$1" ] || { cat "$1" >&2; fail "$1 should be empty"; }; }

# hash_of FILE|-: its sha256 alone.
hash_of() { sha256sum "$1" | cut -d' ' -f1; }
