#!/bin/bash
# SPDX-License-Identifier: MIT
# Records what sysstat's iostat says about pairs of /proc/diskstats, as reference for our columns:
#   record_iostat.sh DIRECTORY          each NAME.before, NAME.after, NAME.uptime -> NAME.iostat
#   record_iostat.sh --load DIRECTORY   first records load.* from this machine, busy with a loop device
# iostat runs in a mount namespace of its own in which the pair stands over /proc/diskstats and
# /proc/uptime (NAME.uptime has the seconds at both times), so that its interval is exact.
# Needs root, sysstat 12; names of devices that this machine has not are fine.
set -euo pipefail

record_load() {
  local directory=$1 scratch loop
  scratch=$(mktemp -d)
  truncate -s 256M "$scratch/image"
  loop=$(losetup --find --show "$scratch/image")
  # shellcheck disable=SC2064 # what they are now is what must go
  trap "losetup --detach '$loop'; rm -rf '$scratch'" RETURN
  cut -d' ' -f1 /proc/uptime >"$directory/load.uptime"
  cat /proc/diskstats >"$directory/load.before"
  dd if=/dev/urandom of="$loop" bs=1M count=64 conv=fsync status=none
  blkdiscard --offset 128M --length 32M "$loop"
  for part in 0 1 2 3; do
    dd if="$loop" of=/dev/null bs=64K count=256 skip=$((part * 256)) iflag=direct status=none &
  done
  dd if="$loop" of=/dev/null bs=4K count=2000 skip=50000 iflag=direct status=none
  wait
  cut -d' ' -f1 /proc/uptime >>"$directory/load.uptime"
  cat /proc/diskstats >"$scratch/after"
  # Devices that did nothing prove nothing.
  grep -vxF -f "$directory/load.before" "$scratch/after" >"$directory/load.after"
  sed -i -n "$(awk '{ printf "/ %s /p;", $3 }' "$directory/load.after")" "$directory/load.before"
}

replay() { # NAME without ending
  local pair=$1 scratch
  scratch=$(mktemp -d)
  cat "$pair.before" >"$scratch/diskstats"
  sed -n 1p "$pair.uptime" >"$scratch/uptime"
  # iostat parses two figures; the second, idle time, is of no use here.
  sed -i 's/$/ 1.00/' "$scratch/uptime"
  mount --bind "$scratch/diskstats" /proc/diskstats
  mount --bind "$scratch/uptime" /proc/uptime
  LC_ALL=C iostat -x -d -y -p ALL 4 1 >"$scratch/out" &
  local iostat=$!
  sleep 2 # its first reading is long past, its second to come
  cat "$pair.after" >"$scratch/diskstats"
  sed -n '2s/$/ 1.00/p' "$pair.uptime" >"$scratch/uptime"
  wait "$iostat"
  sed -n '/^Device/,$p' "$scratch/out" | sed '/^$/d' >"$pair.iostat"
  umount /proc/diskstats /proc/uptime
  rm -rf "$scratch"
}

case ${1-} in
  --load)
    record_load "$2"
    exec "$0" "$2"
    ;;
  --replay)
    for before in "$2"/*.before; do
      replay "${before%.before}"
    done
    ;;
  ?*) exec unshare --mount "$0" --replay "$1" ;;
  *)
    echo "usage: record_iostat.sh [--load] DIRECTORY" >&2
    exit 2
    ;;
esac
