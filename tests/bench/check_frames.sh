#!/bin/bash
# SPDX-License-Identifier: MIT
# Row 14: mark6 check --vdif --full looks at every frame header of a scan on 16 disks in memory, against
# mark6gather to /dev/null, which reads the same bytes and does nothing with them. Frames of 8032 and of
# 1032 bytes, 8 threads.
# shellcheck source=tests/bench/lib.sh
source "$(dirname "$(realpath "$0")")/lib.sh"

# check_round FRAME: what a program has to do before it reads is in both.
check_round() {
  timed "$BIN/mark6gather" -q "${fragments[@]}" - > /dev/null
  note_run "gather_$1"
  timed "$BIN/mark6" check --vdif --full --root "$RIG_ROOT/disks/*/*" "$scan" > /dev/null
  note_run "check_$1"
}
note_run() {                            # NAME
  note "$1" "$(rate_of "$size" "$(took)")"
  note "$1_cpu" "$(calc "$(cpu_of 1) / ($size / 1e9)")"
}
round_8032() { check_round 8032; }
round_1032() { check_round 1032; }

inside() {
  local frame
  echo "disks in memory: MB/s, start included; CPU s/GB"
  for frame in 8032 1032; do
    synth --force --scan "$scan" --threads 8 --packet-size "$frame" --bytes 4G
    fragments_of "$scan"
    check_hash
    rounds "gather_$frame" "check_$frame" "gather_${frame}_cpu" "check_${frame}_cpu" \
      -- "round_$frame"
    against 14 "all headers of frames of $frame bytes: mark6 check --vdif --full" "check_$frame" \
      "gather_$frame" 0.8
  done
}

main() { in_rig 2 8 900M inside; }

bench_main "$@"
