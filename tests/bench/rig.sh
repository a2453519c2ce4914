#!/bin/bash
# SPDX-License-Identifier: MIT
# Simulated disk packs for the time of one command: loop devices with XFS, one per disk, mounted as
# on a Mark6, with a read rate per disk. When the command ends, however it ends, all of it is gone.
# The rates hold for what runs under `rig.sh limited` (cgroup v1, blkio). Root only.
#
#   rig.sh [--modules 2] [--disks 8] [--size 600M] [--images DIR] -- COMMAND [ARGUMENT]...
#       runs COMMAND with RIG_ROOT=DIR set (disks are RIG_ROOT/disks/M/D) and a `rig.sh` in PATH
# and inside of it:
#   rig.sh rate RATE [M/D]      read rate of every disk, or of one (60M = 60 million bytes/s; 0: any)
#   rig.sh limited COMMAND...   runs COMMAND, and what it starts, at these rates
#   rig.sh cold                 empties the disks' page cache
#
# An idle disk saves up a burst of about 6 MB: keep scans large against that.
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
    if losetup --direct-io=on "$device" "$1" 2> /dev/null; then
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
  local modules=2 disks=8 size=600M images=${TMPDIR:-/var/tmp} module disk code=0
  while [ $# -gt 0 ]; do
    case $1 in
      --modules) modules=$2; shift 2 ;;
      --disks) disks=$2; shift 2 ;;
      --size) size=$2; shift 2 ;;
      --images) images=$2; shift 2 ;;
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
  ln -s "$(realpath "$0")" "$RIG_STATE/bin/rig.sh"
  for ((module = 1; module <= modules; module++)); do
    for ((disk = 0; disk < disks; disk++)); do add_disk "$module/$disk" "$size"; done
  done
  PATH=$RIG_STATE/bin:$PATH "$@" || code=$?
  exit $code
}

set_rate() {                            # RATE [LABEL]
  local rate label device
  rate=$(bytes_of "$1")
  while read -r label device _; do
    [ $# = 1 ] || [ "$2" = "$label" ] || continue
    echo "$(cat "/sys/block/${device#/dev/}/dev") $rate" > "$RIG_CGROUP/blkio.throttle.read_bps_device"
  done < <(each_disk)
}

make_cold() {                           # a fresh mount has nothing cached
  local device point
  while read -r _ device point; do
    umount "$point"
    mount -o noatime "$device" "$point"
  done < <(each_disk)
}

case ${1:-} in
  rate | limited | cold) [ -n "${RIG_STATE:-}" ] || die "'$1' works inside of 'rig.sh ... -- COMMAND'" ;;&
  rate) set_rate "${@:2}" ;;
  limited) echo $BASHPID > "$RIG_CGROUP/cgroup.procs"; exec "${@:2}" ;;
  cold) make_cold ;;
  "" | -h | --help) sed -n '3,15s/^# \{0,1\}//p' "$0" ;;
  *) with_rig "$@" ;;
esac
