#!/bin/bash
# SPDX-License-Identifier: MIT
# Row 13: how much memory do the programs have at their worst? 16 and 32 disks, fast but for one of
# 60 MB/s, so that windows grow as far as they may; default budget and --memory 64M. The other rows
# tell of their own runs in lines of row 13 too.
export ROUNDS=${ROUNDS:-2}               # peaks, not medians
# shellcheck source=tests/bench/lib.sh
source "$(dirname "$(realpath "$0")")/lib.sh"

# one_run NAME [OPTION]...: both programs; notes NAME_gather, NAME_mount (MiB) and their rates.
one_run() {
  rig.sh fresh
  timed "$BIN/mark6gather" -q "${@:2}" "${fragments[@]}" - '|' dd of=/dev/null bs=1M status=none
  must_have_read 2 "$size"
  note "$1_gather" $(($(peak_kib_of 1) / 1024))
  note "$1_gather_rate" "$(rate_of "$size" "$(took)")"
  rig.sh fresh
  timed "$BIN/mark6fs" -q "${@:2}" "$RIG_ROOT/disks/*/*" "$mnt" ';' \
    dd "if=$mnt/$scan" of=/dev/null bs=1M status=none
  must_have_read 2 "$size"
  note "$1_mount_rate" "$(rate_of "$size" "$(took)")"
  unmount
  note "$1_mount" $((daemon_peak_kib / 1024))
}

one_round() {
  one_run full
  one_run 64M --memory 64M
}

result() {                              # SITUATION NAME ALLOWED_MIB
  verdict 13 "$((MODULES * DISKS)) disks: $1" "RSS <= budget + 64 MiB" \
    "$(largest_of "$2") of $3 MiB" "$(calc "$(largest_of "$2") / $3")" le 1
}

inside() {
  local default_mib=$(($(budget_kib) / 1024 + 64))
  synth --scan "$scan" --bytes 4G --placement recorder
  fragments_of "$scan"
  check_hash
  rig.sh rate 60M 1/3
  echo "memory, $((MODULES * DISKS)) disks: peaks in MiB, and MB/s"
  rounds full_gather full_mount full_gather_rate full_mount_rate \
    64M_gather 64M_mount 64M_gather_rate 64M_mount_rate -- one_round
  result mark6gather full_gather $default_mib
  result mark6fs full_mount $default_mib
  result "mark6gather --memory 64M" 64M_gather 125
  result "mark6fs --memory 64M" 64M_mount 125
}

main() {
  in_rig 2 8 900M inside
  in_rig 4 8 600M inside
}

bench_main "$@"
