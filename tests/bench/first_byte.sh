#!/bin/bash
# SPDX-License-Identifier: MIT
# Row 9: how long until there is something to see? A sparse scan of 320 GB on 16 disks of 100 reads per
# second each, cold. Seconds from the start of the program:
#   stream  mark6gather | head -c 1
#   mount   mark6fs has returned
#   ls      and ls -l has told the exact size
#   first   and a byte has been read
#   at_90   another time: mark6fs, then 1 MiB at 90 % of the file
# shellcheck source=tests/bench/lib.sh
source "$(dirname "$(realpath "$0")")/lib.sh"

one_round() {
  make_cold
  timed "$BIN/mark6gather" -q "${fragments[@]}" - '|' head -c 1 > "$RIG_STATE/byte"
  [ "$(stat -c %s "$RIG_STATE/byte")" = 1 ] || fail "mark6gather: no first byte"
  note stream "$(ended 2)"

  make_cold
  timed "$BIN/mark6fs" -q "$RIG_ROOT/disks/*/*" "$mnt" ';' ls -l "$mnt" ';' \
    dd "if=$mnt/$scan" bs=1 count=1 status=none > "$RIG_STATE/ls"
  [ "$(awk 'NR == 2 { print $5 }' "$RIG_STATE/ls")" = "$size" ] ||
    fail "ls -l: $(cat "$RIG_STATE/ls"); expected $size bytes"
  note mount "$(ended 1)"
  note ls "$(ended 2)"
  note ls_after "$(calc "$(ended 2) - $(ended 1)")"
  note first "$(ended 3)"
  unmount
  note peak_kib "$daemon_peak_kib"

  make_cold
  timed "$BIN/mark6fs" -q "$RIG_ROOT/disks/*/*" "$mnt" ';' \
    dd "if=$mnt/$scan" of=/dev/null bs=1M count=1 "skip=$((size * 9 / 10 / 1048576))" status=none
  must_have_read 2 1048576
  note at_90 "$(calc "$(ended 2) - $(ended 1)")"
  unmount
}

seconds_row() {                         # SITUATION NAME LIMIT
  verdict 9 "320 GB, 100 reads/s: $1" "<= $3 s" "$(median_of "$2") s" "$(median_of "$2")" le "$3"
}

inside() {
  synth --scan "$scan" --bytes 320G --placement recorder --sparse
  fragments_of "$scan"
  rig.sh reads 100
  echo "320 GB on 16 disks of 100 reads/s: seconds from the program's start"
  rounds stream mount ls first ls_after at_90 -- one_round
  seconds_row "ls -l after mount" ls_after 1
  seconds_row "first byte of the stream" stream 1
  seconds_row "first byte through the mount, mounting included" first 1
  seconds_row "1 MiB at 90 %, after mount" at_90 2
}

main() { in_rig 2 8 40G inside; }

bench_main "$@"
