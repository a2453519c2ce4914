#!/bin/bash
# SPDX-License-Identifier: MIT
# How near to the sum of the disks do both programs stream a cold scan? 16 disks of 60 MB/s, 4 GB,
# placed as a recorder does it. In turn, round after round, each including its start:
#   dd      dd iflag=direct of every fragment at once: what the disks give
#   gather  mark6gather | dd of=/dev/null bs=1M
#   mount   mark6fs, then dd of=/dev/null bs=1M of the file
# Prints MB/s of every round, medians, and ratios to dd. Asserts nothing. Root; see rig.sh.
#
#   throttled_stream.sh [BIN_DIR]      RATE=60M BYTES=4G ROUNDS=5 MODULES=2 DISKS=8 IMAGES=/var/tmp
set -euo pipefail

here=$(dirname "$(realpath "$0")")
export BIN RATE=${RATE:-60M} BYTES=${BYTES:-4G} ROUNDS=${ROUNDS:-5}
modules=${MODULES:-2} disks=${DISKS:-8}
scan=bench_Xx_0001.vdif

# The images hold twice their share: a fast disk gets more blocks than its peers.
image_bytes() { echo $(($(numfmt --from=si "$BYTES") * 2 / (modules * disks) + 400000000)); }

now_ms() { date +%s%3N; }

by_dd() {
  local fragment readers=() reader
  for fragment in "${fragments[@]}"; do
    dd if="$fragment" of=/dev/null bs=1M iflag=direct status=none & readers+=($!)
  done
  for reader in "${readers[@]}"; do wait "$reader"; done
}

by_gather() { "$BIN/mark6gather" -q "${fragments[@]}" - | dd of=/dev/null bs=1M status=none; }

by_mount() {
  "$BIN/mark6fs" "$RIG_ROOT/disks/*/*" "$RIG_STATE/mnt"
  dd if="$RIG_STATE/mnt/$scan" of=/dev/null bs=1M status=none
}

# One timed run inside the limits; prints MB/s.
measure() {                             # WAY
  local start end
  rig.sh cold
  sleep 1                               # every way finds the disks equally rested
  start=$(now_ms)
  rig.sh limited "$0" --one "$1"
  end=$(now_ms)
  ! mountpoint -q "$RIG_STATE/mnt" || take_off
  echo $((size / 1000 / (end - start)))
}

take_off() {
  fusermount3 -u "$RIG_STATE/mnt"
  while pgrep -f "mark6fs $RIG_ROOT" > /dev/null; do sleep 0.05; done
}

median() { sort -n | awk '{ v[NR] = $1 } END { print (v[int((NR + 1) / 2)] + v[int(NR / 2) + 1]) / 2 }'; }

find_fragments() {
  mapfile -t fragments < <(find "$RIG_ROOT/disks" -name "$scan" | sort)
  size=$(($(stat -c %s "${fragments[@]}" | paste -sd+)))
}

inside() {
  local way round
  mkdir -p "$RIG_STATE/mnt"
  "$BIN/mark6" synth -q "$RIG_ROOT" --scan $scan --modules "$modules" --disks "$disks" \
    --bytes "$BYTES" --placement recorder > /dev/null
  find_fragments
  rig.sh rate "$RATE"
  echo "$((size / 1000000)) MB on ${#fragments[@]} disks of ${RATE}B/s; MB/s, start included"
  printf '%8s %8s %8s %8s\n' round dd gather mount
  for ((round = 1; round <= ROUNDS; round++)); do
    for way in dd gather mount; do measure $way >> "$RIG_STATE/rates.$way"; done
    printf '%8s %8s %8s %8s\n' "$round" "$(tail -n 1 "$RIG_STATE/rates.dd")" \
      "$(tail -n 1 "$RIG_STATE/rates.gather")" "$(tail -n 1 "$RIG_STATE/rates.mount")"
  done
  local dd gather mount
  dd=$(median < "$RIG_STATE/rates.dd")
  gather=$(median < "$RIG_STATE/rates.gather")
  mount=$(median < "$RIG_STATE/rates.mount")
  printf '%8s %8s %8s %8s\n' median "$dd" "$gather" "$mount"
  awk -v d="$dd" -v g="$gather" -v m="$mount" \
    'BEGIN { printf "%8s %8.2f %8.2f %8.2f\n", "to dd", 1, g / d, m / d }'
}

case ${1:-} in
  --inside) inside ;;
  --one) find_fragments; "by_$2" ;;
  *)
    BIN=$(realpath "${1:-$here/../../build/release/bin}")
    export MODULES=$modules DISKS=$disks
    exec "$here/rig.sh" --modules "$modules" --disks "$disks" --size "$(image_bytes)" \
      --images "${IMAGES:-/var/tmp}" -- "$(realpath "$0")" --inside
    ;;
esac
