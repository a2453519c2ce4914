#!/bin/bash
# SPDX-License-Identifier: MIT
# Simulated disk packs for the time of one command: loop devices with XFS, one per disk, mounted as
# on a Mark6, with a read rate per disk. When the command ends, however it ends, all of it is gone.
# The rates hold for what runs under `rig.sh limited` (cgroup v1, blkio). Root only.
#
#   rig.sh [--modules 2] [--disks 8] [--size 600M] [--images DIR | --ram] -- COMMAND [ARGUMENT]...
#       runs COMMAND with RIG_ROOT=DIR set (disks are RIG_ROOT/disks/M/D) and a `rig.sh` in PATH;
#       the images lie in DIR, or in memory
# and inside of it:
#   rig.sh rate RATE [M/D]      read rate of every disk, or of one (60M = 60 million bytes/s; 0: any)
#   rig.sh reads N [M/D]        the same for reads per second
#   rig.sh stall M/D SECONDS EVERY   for ever: that disk gives nothing for SECONDS, EVERY so often
#   rig.sh limited COMMAND...   runs COMMAND, and what it starts, at these rates
#   rig.sh fresh                mounts the disks anew: nothing of them is in the page cache
#   rig.sh cold                 the same, and drops what else this machine has cached
#
# A disk that was idle grants a burst of what it does in a tenth of a second (6 MB at 60M, 10 reads at
# 100 per second): keep scans large against that.
set -euo pipefail

blkio=/sys/fs/cgroup/blkio

die() { echo "rig.sh: $*" >&2; exit 1; }

bytes_of() { numfmt --from=si "$1"; }

# The lines of the table: label, device, mount point.
each_disk() { cat "$RIG_STATE/disks"; }

attach() {                              # IMAGE: prints the loop device; -f races with other users
  local device
  for _ in {1..20}; do
    device=$(losetup -f)
    [ -b "$device" ] || mknod "$device" b 7 "${device#/dev/loop}" 2> /dev/null || true
    if losetup --direct-io="$RIG_DIRECT_IO" "$device" "$1" 2> /dev/null; then
      echo "$device"
      return
    fi
    sleep 0.1
  done
  die "$1: no loop device to be had"
}

add_disk() {                            # LABEL SIZE
  local image=$RIG_STATE/images/${1/\//.} point=$RIG_ROOT/disks/$1 device
  truncate -s "$2" "$image"
  device=$(attach "$image")
  echo "$1 $device $point" >> "$RIG_STATE/disks"
  mkfs.xfs -q -f -K "$device"
  mkdir -p "$point"
  mount -o noatime "$device" "$point"
}

take_down() {
  local device point deadline
  trap '' INT TERM HUP                  # once begun it is finished
  [ ! -e "$RIG_STATE/disks" ] || while read -r _ device point; do
    ! mountpoint -q "$point" || umount "$point" || umount -l "$point"
    losetup -d "$device" || true
  done < "$RIG_STATE/disks"
  for deadline in {1..50}; do           # a loop device lets go of its image a little later
    ! mountpoint -q "$RIG_STATE/images" || umount "$RIG_STATE/images" 2> /dev/null || {
      [ "$deadline" != 50 ] || umount -l "$RIG_STATE/images"
      sleep 0.1
      continue
    }
    break
  done
  if [ -d "$RIG_CGROUP" ]; then
    for deadline in {1..50}; do         # who is still in there moves out, then the group can go
      while read -r pid; do echo "$pid" > $blkio/cgroup.procs 2> /dev/null || true; done \
        < "$RIG_CGROUP/cgroup.procs"
      ! rmdir "$RIG_CGROUP" 2> /dev/null || break
      [ "$deadline" != 50 ] || echo "rig.sh: cannot remove $RIG_CGROUP" >&2
      sleep 0.1
    done
  fi
  rm -rf --one-file-system "$RIG_STATE"
}

with_rig() {                            # [OPTION]... -- COMMAND...
  local modules=2 disks=8 size=600M images=${TMPDIR:-/var/tmp} ram=no module disk code=0
  while [ $# -gt 0 ]; do
    case $1 in
      --modules) modules=$2; shift 2 ;;
      --disks) disks=$2; shift 2 ;;
      --size) size=$2; shift 2 ;;
      --images) images=$2; shift 2 ;;
      --ram) ram=yes; shift ;;
      --) shift; break ;;
      *) die "$1: not an option; see the head of $0" ;;
    esac
  done
  [ $# -gt 0 ] || die "no command given"
  [ "$(id -u)" = 0 ] || die "needs root, for loop devices and mounts"
  [ -e $blkio/blkio.throttle.read_bps_device ] || die "needs cgroup v1 with blkio in $blkio"
  command -v mkfs.xfs > /dev/null || die "needs mkfs.xfs (xfsprogs)"

  RIG_STATE=$(mktemp -d "$images/mark6-rig.XXXXXX")
  export RIG_STATE RIG_ROOT=$RIG_STATE/root RIG_CGROUP=$blkio/${RIG_STATE##*/}
  trap take_down EXIT
  trap 'exit 130' INT TERM HUP
  mkdir "$RIG_STATE/images" "$RIG_STATE/bin" "$RIG_CGROUP"
  RIG_DIRECT_IO=on
  if [ $ram = yes ]; then
    RIG_DIRECT_IO=off                   # there is nothing below a tmpfs to be direct to
    mount -t tmpfs -o size=100% mark6-rig "$RIG_STATE/images"
  fi
  ln -s "$(realpath "$0")" "$RIG_STATE/bin/rig.sh"
  for ((module = 1; module <= modules; module++)); do
    for ((disk = 0; disk < disks; disk++)); do add_disk "$module/$disk" "$size"; done
  done
  PATH=$RIG_STATE/bin:$PATH "$@" || code=$?
  exit $code
}

number_of() { cat "/sys/block/${1#/dev/}/dev"; }

# Every disk's limit, or one's.
set_limit() {                           # FILE VALUE [LABEL]
  local label device
  while read -r label device _; do
    [ $# = 2 ] || [ "$3" = "$label" ] || continue
    echo "$(number_of "$device") $(bytes_of "$2")" > "$RIG_CGROUP/blkio.throttle.$1"
  done < <(each_disk)
}

stall() {                               # LABEL SECONDS EVERY
  local number rate
  number=$(number_of "$(awk -v label="$1" '$1 == label { print $2 }' "$RIG_STATE/disks")")
  rate=$(awk -v number="$number" '$1 == number { print $2 }' \
    "$RIG_CGROUP/blkio.throttle.read_bps_device")
  trap 'echo "$number ${rate:-0}" > "$RIG_CGROUP/blkio.throttle.read_bps_device"; exit 0' TERM INT
  local half                            # the first stall comes soon
  half=$(awk "BEGIN { print ($3 - $2) / 2 }")
  while true; do                        # `wait`, since a trap does not interrupt a sleep
    sleep "$half" & wait $!
    echo "$number 1" > "$RIG_CGROUP/blkio.throttle.read_bps_device"
    sleep "$2" & wait $!
    echo "$number ${rate:-0}" > "$RIG_CGROUP/blkio.throttle.read_bps_device"
    sleep "$half" & wait $!
  done
}

remount() {                             # a fresh mount has nothing cached
  local device point
  while read -r _ device point; do
    umount "$point"
    mount -o noatime "$device" "$point"
  done < <(each_disk)
}

case ${1:-} in
  rate | reads | stall | limited | fresh | cold) [ -n "${RIG_STATE:-}" ] || die "'$1' works inside of 'rig.sh ... -- COMMAND'" ;;&
  rate) set_limit read_bps_device "${@:2}" ;;
  reads) set_limit read_iops_device "${@:2}" ;;
  stall) stall "${@:2}" ;;
  limited) echo $BASHPID > "$RIG_CGROUP/cgroup.procs"; exec "${@:2}" ;;
  fresh) remount ;;
  cold) remount; echo 3 > /proc/sys/vm/drop_caches ;;
  "" | -h | --help) sed -n '3,21s/^# \{0,1\}//p' "$0" ;;
  *) with_rig "$@" ;;
esac
