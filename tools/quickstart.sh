#!/bin/bash
# SPDX-License-Identifier: MIT
# From a fresh checkout to a mounted, streamed and verified scan, showing each command it runs.
#
#   tools/quickstart.sh                     makes a two-module recording of 1 GB and plays it back
#   tools/quickstart.sh '/mnt/disks/*/*'    plays back what is on your modules, which it only reads
#
# Everything it makes lies in one temporary directory and is removed at the end, also after a
# failure or an interrupt.
set -euo pipefail
project=$(cd "$(dirname "$0")/.." && pwd)
readonly project bin=$project/build/release/bin
readonly demo_bytes=1000000000
readonly module_bytes=4000000000 # how much of a real scan is played back
# shellcheck source=tools/packages.sh
source "$project/tools/packages.sh"

work=         # our temporary directory
mounted=      # the mount point, while it is one
sources=()    # globs of disk directories, as given
roots=()      # the same as options of mark6 list
scan=         # the scan that is played back, the first ...
bytes=0       # ... so many bytes of it
limit=()      # --bytes N, when that is not the whole scan
fragments=()  # globs of its fragments
results=()    # lines of the table at the end: what, bytes, seconds
hashes=()     # lines of the comparison: what, sha256

# ---------------------------------------------------------------- small helpers

step() { printf '\n== %s\n' "$*"; }
say() { printf '   %s\n' "$*"; }
# A command as the user would type it.
show() {
  local text=${*%% }
  printf '   $ %s\n' "${text//  / }"
}
# Words that the shell would expand, in quotes.
quoted() {
  local word
  for word in "$@"; do
    if [[ $word == *[\*\?\[\ ]* ]]; then printf "'%s' " "$word"; else printf '%s ' "$word"; fi
  done
}
die() {
  printf '\nquickstart: %s\n' "$*" >&2
  exit 1
}

clean_up() {
  local code=$?
  trap '' INT TERM
  if [[ -n $mounted ]]; then
    fusermount3 -u "$mounted" 2>/dev/null || fusermount3 -u -z "$mounted" 2>/dev/null || true
  fi
  # A directory that is still a mount must not be deleted through.
  if [[ -n $work ]] && ! grep -qF " $work/" /proc/self/mounts; then rm -rf "$work"; fi
  exit "$code"
}
trap clean_up EXIT
trap 'exit 130' INT
trap 'exit 143' TERM

now() { date +%s.%N; }

# timed NAME BYTES COMMAND...: runs it and notes its rate for the table.
timed() {
  local name=$1 bytes=$2 begin
  shift 2
  begin=$(now)
  "$@" || die "$name failed"
  results+=("$name $bytes $(awk -v a="$begin" -v b="$(now)" 'BEGIN { printf "%.3f", b - a }')")
}

free_bytes() { df --output=avail -B1 "$1" 2>/dev/null | tail -n 1; }

# A directory with room for $1 bytes: in memory if possible, so that rates are not those of a disk.
make_work_directory() {
  local place
  for place in /dev/shm "${TMPDIR:-/tmp}" /var/tmp; do
    [[ -d $place && -w $place ]] || continue
    (($(free_bytes "$place") > $1)) || continue
    work=$(mktemp -d "$place/mark6-quickstart.XXXXXX")
    return
  done
  die "no room for $1 bytes in /dev/shm, ${TMPDIR:-/tmp} or /var/tmp; set TMPDIR to a larger place"
}

# ---------------------------------------------------------------- the steps

build() {
  step "Packages"
  ensure_packages "${MARK6_BUILD_PACKAGES[@]}" || die "install the packages and start again"
  say "all there"
  step "Build"
  show "cmake --preset release && cmake --build --preset release"
  cd "$project"
  # The programs only: the tests need more packages than a user has to install.
  if ! { cmake --preset release -DBUILD_TESTING=OFF &&
    cmake --build --preset release --target mark6 mark6fs mark6gather; } >"$work/build.log" 2>&1; then
    cat "$work/build.log" >&2
    die "the build failed"
  fi
  say "$bin/mark6, mark6fs, mark6gather"
}

make_demo() {
  step "A recording: two modules of eight disks, 1 GB, in $work"
  show "mark6 synth --modules 2 --bytes 1G $work/rec"
  "$bin/mark6" synth --quiet --modules 2 --bytes $demo_bytes "$work/rec" >"$work/synth.txt" ||
    die "the recording could not be made"
  sed 's/^/   /' "$work/synth.txt"
  scan=$(sed -n 's/^scan: //p' "$work/synth.txt")
  bytes=$(sed -n 's/^bytes: //p' "$work/synth.txt")
  hashes+=("recorded $(sed -n 's/^sha256: //p' "$work/synth.txt")")
  sources=("$work/rec/disks/*/*")
}

list_scans() {
  step "Which scans are there?"
  local source
  for source in "${sources[@]}"; do roots+=(--root "$source"); done
  show "mark6 list $(quoted "${roots[@]}")"
  # Exit code 1: there are holes or damage, which the list says itself.
  "$bin/mark6" list "${roots[@]}" | sed 's/^/   /' || ((PIPESTATUS[0] == 1)) ||
    die "mark6 list failed"
}

# The first scan on the modules that is complete, and how much of it we play back.
choose_scan() {
  local found
  found=$("$bin/mark6" list --json "${roots[@]}" 2>/dev/null | python3 -c '
import json, sys
for scan in json.load(sys.stdin)["scans"]:
    if scan["state"] == "complete" and scan["size_bytes"] and scan["name"].isprintable():
        print(scan["size_bytes"], scan["name"])
        break') || true
  [[ -n $found ]] || die "there is no complete scan in ${sources[*]}; is every module of a group in view?"
  scan=${found#* }
  bytes=${found%% *}
  if ((bytes > module_bytes)); then
    bytes=$module_bytes
    limit=(--bytes "$bytes")
  fi
  say "playing back ${limit[*]+the first }$bytes bytes of $scan, the first complete scan"
}

# The globs that name the fragments of the scan: DISK/data/SCAN, or DISK/SCAN as in 2014.
find_fragments() {
  local source
  for source in "${sources[@]}"; do
    if compgen -G "$source/data" >/dev/null; then source+=/data; fi
    fragments+=("$source/$scan")
  done
}

stream_to_dd() {
  "$bin/mark6gather" "${limit[@]}" "${fragments[@]}" - 2>"$work/gather.txt" |
    dd of=/dev/null bs=1M 2>"$work/dd.txt"
}

stream_to_hash() {
  "$bin/mark6gather" --quiet "${limit[@]}" "${fragments[@]}" - |
    sha256sum | cut -d ' ' -f 1 >"$work/stream.sha256"
}

stream() {
  step "Stream it"
  show "mark6gather ${limit[*]} ${fragments[*]} - | dd of=/dev/null bs=1M"
  timed streamed "$bytes" stream_to_dd
  sed 's/^/   /' "$work/gather.txt"
  say "$(tail -n 1 "$work/dd.txt")"
  show "mark6gather ${limit[*]} ${fragments[*]} - | sha256sum"
  stream_to_hash || die "the stream failed"
  hashes+=("streamed $(cat "$work/stream.sha256")")
  say "$(cat "$work/stream.sha256")"
}

mount_modules() {
  step "Mount the modules"
  mkdir "$work/mnt"
  show "mark6fs $(quoted "${sources[@]}") $work/mnt"
  mounted=$work/mnt # before it is one: an interrupt may come in between
  if ! "$bin/mark6fs" "${sources[@]}" "$work/mnt" 2>"$work/mount.txt"; then
    cat "$work/mount.txt" >&2
    die "the mount failed"
  fi
  sed 's/^/   /' "$work/mount.txt"
  show "ls -l $work/mnt"
  ls -l "$work/mnt" >"$work/ls.txt"
  tail -n +2 "$work/ls.txt" | head -n 10 | sed 's/^/   /'
}

read_mount_by_dd() {
  dd if="$work/mnt/$scan" of=/dev/null bs=1M iflag=count_bytes count="$bytes" 2>"$work/dd.txt"
}

read_mount() {
  step "Read the file"
  show "dd if=$work/mnt/$scan of=/dev/null bs=1M${limit[*]+ iflag=count_bytes count=$bytes}"
  timed mounted "$bytes" read_mount_by_dd
  say "$(tail -n 1 "$work/dd.txt")"
  if ((${#limit[@]})); then
    show "head -c $bytes $work/mnt/$scan | sha256sum"
  else
    show "sha256sum $work/mnt/$scan"
  fi
  head -c "$bytes" "$work/mnt/$scan" | sha256sum | cut -d ' ' -f 1 >"$work/mount.sha256"
  hashes+=("mounted $(cat "$work/mount.sha256")")
  say "$(cat "$work/mount.sha256")"
  show "fusermount3 -u $work/mnt"
  fusermount3 -u "$work/mnt" || die "the unmount failed"
  mounted=
}

report() {
  local line
  step "Result"
  printf '   %-8s %14s %9s %10s %9s\n' way bytes seconds MB/s Gbit/s
  for line in "${results[@]}"; do
    awk -v line="$line" 'BEGIN {
      split(line, f, " "); rate = f[3] > 0 ? f[2] / f[3] : 0
      printf "   %-8s %14d %9.2f %10.1f %9.2f\n", f[1], f[2], f[3], rate / 1e6, rate * 8 / 1e9 }'
  done
  echo
  for line in "${hashes[@]}"; do printf '   %-8s sha256 %s\n' "${line%% *}" "${line##* }"; done
  (($(printf '%s\n' "${hashes[@]}" | awk '{ print $2 }' | sort -u | wc -l) == 1)) ||
    die "the hashes differ: the bytes are not the same on all ways"
  say "the same bytes on all ways"
}

main() {
  case ${1:-} in -h | --help)
    sed -n '3,9s/^# \{0,1\}//p' "$0"
    return
    ;;
  esac
  if (($#)); then
    sources=("$@") # more than one when the shell has expanded the glob
    make_work_directory 10000000
  else
    make_work_directory $((demo_bytes + demo_bytes / 10))
  fi
  build
  if (($#)); then
    list_scans
    choose_scan
  else
    make_demo
    list_scans
  fi
  find_fragments
  stream
  if [[ -c /dev/fuse ]]; then
    mount_modules
    read_mount
    report
  else
    report
    die "there is no /dev/fuse (a container needs --device /dev/fuse --cap-add SYS_ADMIN):" \
      "streaming works, mounting could not be shown"
  fi
  (($#)) || printf "\nNow with your own modules: tools/quickstart.sh '/mnt/disks/*/*'\n"
}

main "$@"
