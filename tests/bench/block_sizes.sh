#!/bin/bash
# SPDX-License-Identifier: MIT
# Row 7: does the mount give the same to readers with small and large blocks? 16 disks of 60 MB/s,
# cold, start included: 64 KiB, 128 KiB (cat), 1 MiB and 16 MiB against all fragments at once by
# dd iflag=direct. And 4 KiB on disks in memory, against a FUSE server that does nothing.
# shellcheck source=tests/bench/lib.sh
source "$(dirname "$(realpath "$0")")/lib.sh"

cold_round() {
  local block
  dd_all_fragments
  for block in 64K 1M 16M; do
    cold_mount $block dd "if=$mnt/$scan" of=/dev/null bs=$block status=none
  done
  cold_mount cat cat "$mnt/$scan" > /dev/null
}

small_bytes=204800000

small_round() {
  local -a small=(of=/dev/null bs=4K count=50000 status=none)
  warm_mount 4K $small_bytes "$BIN/mark6fs" -q "$RIG_ROOT/disks/*/*" -- dd "if=$mnt/$scan" "${small[@]}"
  note peak_kib "$daemon_peak_kib"
  warm_mount null $small_bytes "$BIN/null_fuse" "$size" -- dd "if=$mnt/null" "${small[@]}"
}

inside() {
  local block
  synth --scan "$scan" --bytes 4G --placement recorder
  fragments_of "$scan"
  check_hash
  echo "4 KiB, disks in memory: MB/s; daemon's CPU s/GB"
  rounds 4K null 4K_cpu null_cpu -- small_round
  rig.sh rate 60M
  echo "16 disks x 60 MB/s through the mount: MB/s, start included"
  rounds dd 64K cat 1M 16M -- cold_round
  for block in 64K cat 1M 16M; do against 7 "mount, blocks of $block" $block dd 0.9; done
  against 7 "mount, blocks of 4K, disks in memory" 4K null 0.7
  memory_verdict 7
}

main() { in_rig 2 8 900M inside; }

bench_main "$@"
