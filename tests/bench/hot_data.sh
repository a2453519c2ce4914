#!/bin/bash
# SPDX-License-Identifier: MIT
# Row 11: fragments that lie in the page cache, on 8 disks of 60 MB/s each, so that only who uses the
# page cache can be fast. The mount against a FUSE server that does nothing, the pipe against cat of a
# flat file in the page cache.
# shellcheck source=tests/bench/lib.sh
source "$(dirname "$(realpath "$0")")/lib.sh"

hot_round() {
  local -a reader=(of=/dev/null bs=1M status=none)
  local on
  for on in 1core 2cores; do
    keep_cached "$RIG_STATE/flat" "${fragments[@]}"
    to_pipe cat $on cat "$RIG_STATE/flat"
    to_pipe gather $on "$BIN/mark6gather" -q "${fragments[@]}" -
    note peak_kib "$(peak_kib_of 1)"
  done
  keep_cached "${fragments[@]}"
  warm_mount null "$size" "$BIN/null_fuse" "$size" -- dd "if=$mnt/null" "${reader[@]}"
  warm_mount mount "$size" "$BIN/mark6fs" -q "$RIG_ROOT/disks/*/*" -- dd "if=$mnt/$scan" "${reader[@]}"
  note peak_kib "$daemon_peak_kib"
}

inside() {
  synth --scan "$scan" --bytes 3G --placement recorder --flat "$RIG_STATE/flat"
  fragments_of "$scan"
  sync
  check_hash
  rig.sh rate 60M
  echo "data in the page cache: MB/s (pipe: start included), CPU s/GB of the writer or daemon"
  rounds cat_1core gather_1core cat_2cores gather_2cores null mount \
    cat_1core_cpu gather_1core_cpu cat_2cores_cpu gather_2cores_cpu null_cpu mount_cpu -- hot_round
  against 11 "hot data: mark6fs, dd bs=1M" mount null 0.6
  against 11 "hot data: mark6gather to dd on 1 core" gather_1core cat_1core 1.0
  against 11 "hot data: mark6gather to dd on 2 cores" gather_2cores cat_2cores 1.0
  memory_verdict 11
  count_gather_calls
  count_mount_calls 1M
}

main() { in_rig 1 8 1500M inside; }

bench_main "$@"
