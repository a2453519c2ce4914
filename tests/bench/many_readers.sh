#!/bin/bash
# SPDX-License-Identifier: MIT
# Row 8: four readers at once through one mount, 16 disks of 60 MB/s, cold, mounting included: of four
# scans of 1 GB, and of the four quarters of one scan of 4 GB. The sum is all bytes until the last reader
# ends, against all fragments at once by dd iflag=direct; and the slowest against the fastest reader.
# shellcheck source=tests/bench/lib.sh
source "$(dirname "$(realpath "$0")")/lib.sh"

# four NAME BYTES_EACH READER...: the readers are words for timed.
four() {
  local reader
  make_cold
  timed "$BIN/mark6fs" -q "$RIG_ROOT/disks/*/*" "$mnt" ';' "${@:3}"
  for reader in 2 3 4 5; do must_have_read $reader "$2"; done
  note "$1" "$(rate_of $((4 * $2)) "$(took)")"
  note "$1_fair" "$(awk 'NR > 1 { t = $2 - $1; if (t > slowest) slowest = t
      if (!fastest || t < fastest) fastest = t } END { print fastest / slowest }' "$RIG_STATE/timed")"
  unmount
  note peak_kib "$daemon_peak_kib"
}

scans_round() {
  local -a to=(of=/dev/null bs=1M status=none)
  dd_all_fragments
  four scans "$size" dd "if=$mnt/four_1.vdif" "${to[@]}" '&' dd "if=$mnt/four_2.vdif" "${to[@]}" '&' \
    dd "if=$mnt/four_3.vdif" "${to[@]}" '&' dd "if=$mnt/four_4.vdif" "${to[@]}"
}

places_round() {
  local mib=$((size / 4 / 1048576)) i
  local -a readers=()
  dd_all_fragments
  for i in 0 1 2 3; do
    readers+=(dd "if=$mnt/$scan" of=/dev/null bs=1M "skip=$((i * mib))" "count=$mib" status=none '&')
  done
  four places $((mib * 1048576)) "${readers[@]:0:${#readers[@]}-1}"
}

results() {                             # NAME SITUATION
  against 8 "$2: sum" "$1" dd 0.85
  verdict 8 "$2: slowest" ">= 0.6 x fastest" "$(median_of "$1_fair")" "$(median_of "$1_fair")" ge 0.6
  memory_verdict 8
}

four_scans() {
  local i
  for i in 1 2 3 4; do
    synth --scan four_$i.vdif --bytes 1G --placement recorder --seed $i
  done
  fragments_of 'four_*.vdif'
  rig.sh rate 60M
  echo "four readers of four scans: MB/s of all, mounting included; slowest / fastest"
  rounds dd scans scans_fair -- scans_round
  results scans "four readers, four scans"
}

four_places() {
  synth --scan "$scan" --bytes 4G --placement recorder
  fragments_of "$scan"
  check_hash
  rig.sh rate 60M
  echo "four readers of one scan: MB/s of all, mounting included; slowest / fastest"
  rounds dd places places_fair -- places_round
  results places "four readers, one scan"
}

main() {
  in_rig 2 8 900M four_scans
  in_rig 2 8 900M four_places
}

bench_main "$@"
