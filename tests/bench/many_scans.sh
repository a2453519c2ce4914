#!/bin/bash
# SPDX-License-Identifier: MIT
# Row 10: how long do 1000 scans take on 16 disks? Each has 64 blocks of 10 MB; what the kernel needs to
# find them is cached. Seconds until mark6fs has returned, and what ls -l of all scans takes then, with
# exact sizes.
#
#   many_scans.sh      SCANS=1000
# shellcheck source=tests/bench/lib.sh
source "$(dirname "$(realpath "$0")")/lib.sh"
scans=${SCANS:-1000}

one_round() {
  local got
  timed "$BIN/mark6fs" -q "$RIG_ROOT/disks/*/*" "$mnt" ';' ls -l "$mnt" > "$RIG_STATE/ls"
  got=$(awk -v size="$size" '$5 == size' "$RIG_STATE/ls" | wc -l)
  [ "$got" = "$scans" ] || fail "ls -l: $got scans of $size bytes; expected $scans"
  note ready "$(ended 1)"
  note ls "$(calc "$(ended 2) - $(ended 1)")"
  unmount
  note peak_kib "$daemon_peak_kib"
}

inside() {
  synth --scan bench_Xx_0.vdif --blocks 64 --sparse
  seq -f bench_Xx_%g.vdif $((scans - 1)) | xargs -P 2 -I NAME "$BIN/mark6" synth -q "$RIG_ROOT" \
    --scan NAME --modules "$MODULES" --disks "$DISKS" --blocks 64 --sparse --no-meta > /dev/null
  rig.sh fresh
  ROUNDS=1 one_round                    # warms what it needs
  rm "$RIG_STATE"/figures.*
  echo "$scans scans: seconds until ready, then for ls -l"
  rounds ready ls -- one_round
  verdict 10 "$scans scans: mount" "<= 1 s" "$(median_of ready) s" "$(median_of ready)" le 1
  verdict 10 "$scans scans: ls -l" "<= 2 s" "$(median_of ls) s" "$(median_of ls)" le 2
}

main() { in_rig 2 8 2G inside; }

bench_main "$@"
