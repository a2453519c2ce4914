#!/bin/bash
# SPDX-License-Identifier: MIT
# Does `mark6 diagnose` find what is slow? On 16 disks of 60 MB/s, by their labels:
#   --quick    one disk at 1/2, 1/4, 1/8 of the rate, then two: are they named slow, and no other? With
#              rates that differ by up to 20 % either way, another draw each time: no false alarm?
#   --scaling  four disks, in both modules, that together get no more than 120 MB/s (their images lie
#              on one throttled device): are these four named, and the cap? And once with all healthy:
#              is nothing found?
#   hung       one disk gives nothing: does the program end, and name it?
# Prints what was found, and how long it took. Asserts nothing. Root; see rig.sh.
#
#   shared_cap.sh [BIN_DIR]      RATE=60M CAP=120M BYTES=6G IMAGES=/var/tmp PARTS="healthy slow shared" (also: jitter hung)
#                                ROUNDS=5 of jitter; REPORT=1 prints the whole reports
set -euo pipefail

here=$(dirname "$(realpath "$0")")
export BIN RATE=${RATE:-60M} CAP=${CAP:-120M} BYTES=${BYTES:-6G} PARTS=${PARTS:-healthy slow shared}
export ROUNDS=${ROUNDS:-5} REPORT=${REPORT:-}
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

diagnosed() {                           # OPTION...
  local start code=0 form=(--json)
  [ -z "$REPORT" ] || form=()
  start=$(date +%s%3N)
  rig.sh limited "$BIN/mark6" diagnose --root "$RIG_ROOT/disks/*/*" "${form[@]}" "$@" \
    > "$RIG_STATE/found" || code=$?
  echo "  exit $code, $(($(date +%s%3N) - start)) ms"
  if [ -n "$REPORT" ]; then cat "$RIG_STATE/found"; else tell_found; fi
}

tell_found() {
  jq -r '(.summary[] | "  | " + .),
    "  not fine: " + ([.devices[] | select(.verdict != "fine")
      | "\(.module)/\(.disk) \(.verdict) \(.confidence * 100 | round) %"] | join(", ")),
    (.shared[] | "  shared: \(.disks | join(" ")): \(.cap_bytes_per_s / 1e6 | round) MB/s, \(.why)"),
    (.scaling[] | "  \(.disks) disks: \(.bytes_per_s / 1e6 | round) MB/s, efficiency \(
      .efficiency * 100 | round) %, \(.cpu_s_per_gb * 1000 | round / 1000) CPU s/GB")' "$RIG_STATE/found"
}

# The rate of any of the 16.
any_rate() {                            # LABEL RATE
  local device
  device=$(awk -v label="$1" '$1 == label { print $2 }' "$RIG_STATE/sharing")
  if [ -n "$device" ]; then limit "$device" "$2"; else rig.sh rate "$2" "$1"; fi
}

slow() {                                # LABEL:FRACTION...
  local one rate
  rate=$(numfmt --from=si "$RATE")
  for one in "$@"; do any_rate "${one%:*}" $((rate / ${one#*:})); done
  echo "slow: $* (a disk and the fraction of the rate that it gives), --quick:"
  diagnosed --quick
  for one in "$@"; do any_rate "${one%:*}" "$rate"; done
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
    echo "healthy, --scaling:"
    diagnosed --scaling
  fi
  if [[ $PARTS = *slow* ]]; then
    slow 1/3:2
    slow 2/5:4
    slow 2/0:8
    slow 1/1:2 2/7:2
  fi
  if [[ $PARTS = *jitter* ]]; then
    jitter
    while read -r label; do any_rate "$label" "$RATE"; done < <(every_disk)
  fi
  if [[ $PARTS = *hung* ]]; then
    rig.sh rate 1 1/2
    echo "1/2 gives a byte per second, --quick --timeout 3:"
    diagnosed --quick --timeout 3
    rig.sh rate "$RATE" 1/2
  fi
  if [[ $PARTS = *shared* ]]; then
    limit "$shared" "$CAP"
    echo "${sharing[*]} share $shared at $CAP, --scaling:"
    diagnosed --scaling
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
