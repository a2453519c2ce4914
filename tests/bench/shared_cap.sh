#!/bin/bash
# SPDX-License-Identifier: MIT
# Does `mark6 diagnose` find what is slow? On 16 disks of 60 MB/s, by their labels:
#   --quick    one disk at 1/2, then at 1/4 of the rate: is it named slow, and no other? With rates that
#              differ by up to 20 % either way, another draw each time: is there no false alarm?
#   --scaling  four disks, in both modules, that together get no more than 120 MB/s (their images lie
#              on one throttled device): are these four named, and the cap? And once with all healthy:
#              is nothing found?
# Prints what was found, and how long it took. Asserts nothing. Root; see rig.sh.
#
#   shared_cap.sh [BIN_DIR]      RATE=60M CAP=120M BYTES=6G IMAGES=/var/tmp PARTS="healthy slow shared" (also: jitter)
#                                ROUNDS=5, of jitter
set -euo pipefail

here=$(dirname "$(realpath "$0")")
export BIN RATE=${RATE:-60M} CAP=${CAP:-120M} BYTES=${BYTES:-6G} PARTS=${PARTS:-healthy slow shared}
export ROUNDS=${ROUNDS:-5}
sharing=(1/6 1/7 2/6 2/7)

# Twice the share of a disk: a fast one gets more blocks than its peers.
disk_bytes=$(($(numfmt --from=si "$BYTES") * 2 / 16 + 400000000))

number_of() { cat "/sys/block/${1#/dev/}/dev"; }

attach() {                              # IMAGE: prints the loop device
  local device
  for _ in {1..20}; do
    device=$(losetup -f)
    [ -b "$device" ] || mknod "$device" b 7 "${device#/dev/loop}" 2> /dev/null || true
    ! losetup --direct-io=on "$device" "$1" 2> /dev/null || { echo "$device"; return; }
    sleep 0.1
  done
  echo "shared_cap.sh: $1: no loop device to be had" >&2
  return 1
}

undo=()                                 # what is to be done in the end, the last first
take_down() {
  local i
  for ((i = ${#undo[@]} - 1; i >= 0; i--)); do
    for _ in {1..50}; do                # a loop device lets go of its image a little later
      ! ${undo[i]} 2> /dev/null || break
      sleep 0.1
    done
  done
}

# The device below, and on its file system the images of the four.
add_sharing_disks() {
  local below=$RIG_STATE/below label device
  truncate -s $((disk_bytes * 5)) "$below.image"
  device=$(attach "$below.image")
  undo+=("losetup -d $device")
  mkfs.xfs -q -f -K "$device"
  mkdir "$below"
  mount -o noatime "$device" "$below"
  undo+=("umount $below")
  shared=$device
  for label in "${sharing[@]}"; do
    truncate -s $disk_bytes "$below/${label/\//.}"
    device=$(attach "$below/${label/\//.}")
    undo+=("losetup -d $device")
    mkfs.xfs -q -f -K "$device"
    mkdir -p "$RIG_ROOT/disks/$label"
    mount -o noatime "$device" "$RIG_ROOT/disks/$label"
    undo+=("umount $RIG_ROOT/disks/$label")
    limit "$device" "$RATE"
    echo "$label $device" >> "$RIG_STATE/sharing"
  done
}

limit() {                               # DEVICE RATE
  echo "$(number_of "$1") $(numfmt --from=si "$2")" > "$RIG_CGROUP/blkio.throttle.read_bps_device"
}

diagnosed() {                           # OPTION...: the JSON, and how long it took
  local start code=0
  start=$(date +%s%3N)
  rig.sh limited "$BIN/mark6" diagnose --root "$RIG_ROOT/disks/*/*" --json "$@" \
    > "$RIG_STATE/found.json" || code=$?
  echo "  exit $code, $(($(date +%s%3N) - start)) ms"
  jq -r '.summary[] | "  | " + .' "$RIG_STATE/found.json"
}

by_verdict() {
  jq -r '"  not fine: " + ([.devices[] | select(.verdict != "fine") | "\(.module)/\(.disk) \(.verdict) \(.confidence)"]
    | join(", "))' "$RIG_STATE/found.json"
}

shared_groups() {
  jq -r '.shared[] | "  shared: \(.disks | join(" ")): \(.cap_bytes_per_s / 1e6 | round) MB/s, \(.why)"' \
    "$RIG_STATE/found.json"
  jq -r '.scaling[] | "  \(.disks) disks: \(.bytes_per_s / 1e6 | round) MB/s, efficiency \(.efficiency * 100 | round) %, \(.cpu_s_per_gb * 1000 | round / 1000) CPU s/GB"' \
    "$RIG_STATE/found.json"
}

# The rate of any of the 16.
any_rate() {                            # LABEL RATE
  local device
  device=$(awk -v label="$1" '$1 == label { print $2 }' "$RIG_STATE/sharing")
  if [ -n "$device" ]; then limit "$device" "$2"; else rig.sh rate "$2" "$1"; fi
}

slow_one() {                            # LABEL FRACTION
  any_rate "$1" $(($(numfmt --from=si "$RATE") / $2))
  echo "$1 at 1/$2:"
  diagnosed --quick
  by_verdict
  any_rate "$1" "$RATE"
}

every_disk() { cut -d' ' -f1 "$RIG_STATE/disks" "$RIG_STATE/sharing"; }

jitter() {
  local round label rate
  rate=$(numfmt --from=si "$RATE")
  for ((round = 1; round <= ROUNDS; round++)); do
    RANDOM=$round
    while read -r label; do
      any_rate "$label" $((rate * (800 + RANDOM % 401) / 1000))
    done < <(every_disk)
    echo "rates that differ by up to 20 % either way, draw $round:"
    diagnosed --quick
    by_verdict
  done
}

inside() {
  local label
  trap take_down EXIT
  add_sharing_disks
  "$BIN/mark6" synth -q "$RIG_ROOT" --scan bench_Xx_0001.vdif --modules 2 --disks 8 --bytes "$BYTES" \
    --placement recorder > /dev/null
  sync
  rig.sh rate "$RATE"
  if [[ $PARTS = *healthy* ]]; then
    echo "healthy, --quick:"
    diagnosed --quick
    by_verdict
    echo "healthy, --scaling:"
    diagnosed --scaling
    by_verdict
    shared_groups
  fi
  if [[ $PARTS = *slow* ]]; then
    slow_one 1/3 2
    slow_one 2/5 4
  fi
  if [[ $PARTS = *jitter* ]]; then
    jitter
    while read -r label; do any_rate "$label" "$RATE"; done < <(every_disk)
  fi
  if [[ $PARTS = *shared* ]]; then
    limit "$shared" "$CAP"
    echo "${sharing[*]} share $shared at $CAP, --scaling:"
    diagnosed --scaling
    by_verdict
    shared_groups
  fi
}

case ${1:-} in
  --inside) inside ;;
  *)
    BIN=$(realpath "${1:-$here/../../build/release/bin}")
    exec "$here/rig.sh" --modules 2 --disks 6 --size "$disk_bytes" --images "${IMAGES:-/var/tmp}" \
      -- "$(realpath "$0")" --inside
    ;;
esac
