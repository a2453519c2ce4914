#!/bin/bash
# SPDX-License-Identifier: MIT
# Measures what docs/performance.md tells, and prints the whole table at the end: row, situation, figure
# asked, measured, ratio, pass or short. Builds the release preset first. All rows take about 25
# minutes; root, 24 GiB of RAM, xfsprogs, cgroup v1 with blkio (rig.sh), strace for system calls.
#
#   tests/bench/run.sh [ROW]...       1 to 14; default all      ROUNDS=5 CALLS=yes IMAGES= (lib.sh)
#
# Exit code 0 when all was measured, whatever the verdict; 1 when a measurement failed.
set -euo pipefail
here=$(dirname "$(realpath "$0")")
source_dir=$(realpath "$here/../..")

script_of() {                           # ROW: the script and its argument
  case $1 in
    1 | 2) echo "throttled_stream.sh $1" ;;
    3 | 4) echo "slow_disk_stream.sh $1" ;;
    5 | 6) echo "ram_disks.sh $1" ;;
    7) echo block_sizes.sh ;;
    8) echo many_readers.sh ;;
    9) echo first_byte.sh ;;
    10) echo many_scans.sh ;;
    11) echo hot_data.sh ;;
    12) echo to_file_and_socket.sh ;;
    13) echo memory.sh ;;
    14) echo check_frames.sh ;;
    *) echo "run.sh: $1: no such row; expected 1 to 14" >&2; return 2 ;;
  esac
}

build() {
  cmake --preset release -DBUILD_TESTING=ON > /dev/null
  cmake --build --preset release --target mark6fs mark6gather mark6 null_fuse
}

table() {                               # FILE
  { echo 'row|situation|asked|measured|ratio|verdict'
    sed -n 's/^row \([0-9]*\): \([a-z]*\) | \(.*\)$/\1|\3|\2/p' "$1" | sed 's/ | /|/g' | sort -s -n -t '|' -k 1,1
  } | column -t -s '|' -o '  '
}

case ${1:-} in -h | --help) sed -n '3,9s/^# \{0,1\}//p' "$0"; exit 0 ;; esac
[ $# -gt 0 ] || set -- {1..14}
for row in "$@"; do script_of "$row" > /dev/null; done
cd "$source_dir"
build
log=$(mktemp)
trap 'rm -f "$log"' EXIT
failed=()
for row in "$@"; do
  read -r -a script <<< "$(script_of "$row")"
  printf '\n== row %s: %s (load %s)\n' "$row" "${script[*]}" "$(cut -d' ' -f1 /proc/loadavg)"
  "$here/${script[0]}" "${script[@]:1}" 2>&1 | tee -a "$log" || failed+=("$row")
done
printf '\n%s, %s, load %s\n' "$(git -C "$source_dir" describe --always --dirty)" "$(uname -sr)" \
  "$(cut -d' ' -f1 /proc/loadavg)"
table "$log"
[ ${#failed[@]} = 0 ] || { echo "could not be measured: row ${failed[*]}" >&2; exit 1; }
