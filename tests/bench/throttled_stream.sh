#!/bin/bash
# SPDX-License-Identifier: MIT
# Rows 1 and 2: how near to the sum of the disks do both programs stream a cold scan? In turn, round
# after round, each including its start:
#   dd      dd iflag=direct of every fragment at once: what the disks give
#   gather  mark6gather | dd of=/dev/null bs=1M
#   mount   mark6fs, then dd of=/dev/null bs=1M of the file
#
#   throttled_stream.sh [1|2]...
# shellcheck source=tests/bench/lib.sh
source "$(dirname "$(realpath "$0")")/lib.sh"

one_round() {
  dd_all_fragments
  cold_gather
  cold_mount mount dd "if=$mnt/$scan" of=/dev/null bs=1M status=none
}

inside() {                              # ROW RATE PLACEMENT BYTES GATHER_LIMIT MOUNT_LIMIT
  local what="$((MODULES * DISKS)) disks x $2B/s, placed by $3"
  synth --scan "$scan" --bytes "$4" --placement "$3"
  fragments_of "$scan"
  check_hash
  rig.sh rate "$2"
  echo "$what: MB/s, start included; CPU s/GB"
  rounds dd gather mount gather_cpu daemon_cpu -- one_round
  against "$1" "$what: mark6gather" gather dd "$5"
  against "$1" "$what: mark6fs" mount dd "$6"
  memory_verdict "$1"
  [ "$1" != 1 ] || { count_gather_calls; count_mount_calls 1M; }
}

main() {
  local row
  for row in "${@:-1}"; do
    case $row in
      1) in_rig 2 8 900M inside 1 60M recorder 4G 0.95 0.93 ;;
      2)
        in_rig 1 8 900M inside 2 40M recorder 2G 0.9 0.9
        in_rig 4 8 600M inside 2 40M recorder 4G 0.9 0.9
        in_rig 2 8 900M inside 2 60M random 4G 0.9 0.9
        ;;
      *) fail "$row: not a row of this script; expected 1 or 2" ;;
    esac
  done
}

bench_main "$@"
