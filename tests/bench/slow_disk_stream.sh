#!/bin/bash
# SPDX-License-Identifier: MIT
# Rows 3 and 4: one disk of 16 is in trouble.
#   3  it has a quarter of the others' rate (15 of 60 MB/s): the time its bytes take at that rate, less
#      the burst that an idle disk of the rig grants, against the time of both programs
#   4  it stalls for 0.5 s every 5 s: all fragments at once by dd iflag=direct, with the same stalls,
#      against both programs
#
#   slow_disk_stream.sh [3|4]...
# shellcheck source=tests/bench/lib.sh
source "$(dirname "$(realpath "$0")")/lib.sh"

slow_round() {
  note ideal "$(calc "$size / 1e6 / $ideal")"
  cold_gather
  cold_mount mount dd "if=$mnt/$scan" of=/dev/null bs=1M status=none
}

slow() {
  synth --scan "$scan" --bytes 2G --placement recorder
  fragments_of "$scan"
  check_hash
  rig.sh rate 60M
  rig.sh rate 15M 1/3
  ideal=$(calc "$(stat -c %s "$RIG_ROOT/disks/1/3/data/$scan") / 15e6 - 0.1")
  echo "one of 16 disks at 15 of 60 MB/s: its bytes take $ideal s; MB/s, start included"
  rounds ideal gather mount gather_cpu daemon_cpu -- slow_round
  against 3 "one slow disk: mark6gather" gather ideal 0.95
  against 3 "one slow disk: mark6fs" mount ideal 0.95
  memory_verdict 3
}

stalling=                               # the disk that stalls

# The stalls come at the same times in every run.
before_run() {
  [ -n "$stalling" ] || return 0
  if [ ${#background[@]} -gt 0 ]; then
    kill "${background[@]}"
    wait "${background[@]}" || true
  fi
  rig.sh stall "$stalling" 0.5 5 &
  background=($!)
}

stall_round() {
  dd_all_fragments
  cold_gather
  cold_mount mount dd "if=$mnt/$scan" of=/dev/null bs=1M status=none
}

stalls() {
  synth --scan "$scan" --bytes 8G --placement recorder
  fragments_of "$scan"
  check_hash
  rig.sh rate 60M
  stalling=1/3
  echo "one of 16 disks of 60 MB/s stalls 0.5 s every 5 s: MB/s, start included"
  rounds dd gather mount gather_cpu daemon_cpu -- stall_round
  against 4 "a disk that stalls: mark6gather" gather dd 0.9
  against 4 "a disk that stalls: mark6fs" mount dd 0.9
  memory_verdict 4
}

main() {
  local row
  for row in "${@:-3}"; do
    case $row in
      3) in_rig 2 8 900M slow ;;
      4) in_rig 2 8 1500M stalls ;;
      *) fail "$row: not a row of this script; expected 3 or 4" ;;
    esac
  done
}

bench_main "$@"
