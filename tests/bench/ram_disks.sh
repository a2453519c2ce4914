#!/bin/bash
# SPDX-License-Identifier: MIT
# Rows 5 and 6: what do the programs themselves allow, when the disks are as fast as memory? 16 disks,
# 4 GB, O_DIRECT, nothing of it in the page cache.
#   5  mark6gather | dd bs=1M, against cat of the same bytes from a flat file in the page cache
#   6  mark6fs, dd bs=1M, against a FUSE server that answers every read from one buffer
#
#   ram_disks.sh [5|6]...
# shellcheck source=tests/bench/lib.sh
source "$(dirname "$(realpath "$0")")/lib.sh"

pipe_round() {
  local on
  for on in 1core 2cores; do
    keep_cached "$RIG_STATE/flat"
    to_pipe cat $on cat "$RIG_STATE/flat"
    to_pipe gather $on "$BIN/mark6gather" -q "${fragments[@]}" -
    note peak_kib "$(peak_kib_of 1)"
  done
}

row_5() {
  synth --scan "$scan" --bytes 4G --placement recorder --flat "$RIG_STATE/flat"
  fragments_of "$scan"
  check_hash
  sync
  echo "disks in memory, into a pipe: MB/s, start included; CPU s/GB of the writer"
  rounds cat_1core gather_1core cat_2cores gather_2cores \
    cat_1core_cpu gather_1core_cpu cat_2cores_cpu gather_2cores_cpu -- pipe_round
  local on a b
  for on in 1core 2cores; do
    against 5 "disks in memory: mark6gather to dd on ${on/core/ core}" gather_$on cat_$on 1.2
    a=$(median_of gather_${on}_cpu) b=$(median_of cat_${on}_cpu)
    verdict 5 "its CPU on ${on/core/ core}" "<= 0.5 x cat" "$a of $b s/GB" "$(calc "$a / $b")" le 0.5
  done
  memory_verdict 5
  count_gather_calls
}

mount_round() {
  local -a reader=(of=/dev/null bs=1M status=none)
  warm_mount null "$size" "$BIN/null_fuse" "$size" -- dd "if=$mnt/null" "${reader[@]}"
  warm_mount mount "$size" "$BIN/mark6fs" -q "$RIG_ROOT/disks/*/*" -- dd "if=$mnt/$scan" "${reader[@]}"
  note peak_kib "$daemon_peak_kib"
}

row_6() {
  synth --scan "$scan" --bytes 4G --placement recorder
  fragments_of "$scan"
  check_hash
  echo "disks in memory, through the mount: MB/s; CPU s/GB of the daemon"
  rounds null mount null_cpu mount_cpu -- mount_round
  against 6 "disks in memory: mark6fs, dd bs=1M" mount null 0.75
  verdict 6 "its CPU" "<= 0.15 s/GB" "$(median_of mount_cpu) s/GB" "$(median_of mount_cpu)" le 0.15
  memory_verdict 6
  count_mount_calls 1M
}

main() {
  local row
  for row in "${@:-5}"; do
    case $row in
      5 | 6) in_rig 2 8 900M "row_$row" ;;
      *) fail "$row: not a row of this script; expected 5 or 6" ;;
    esac
  done
}

bench_main "$@"
