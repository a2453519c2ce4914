# shellcheck shell=bash
# SPDX-License-Identifier: MIT
# What the measurements have in common. A script of tests/bench sources it, has a function per
# situation that begins with `in_rig`, and ends with `bench_main "$@"`. It prints every round, medians,
# and lines that run.sh gathers into its table:
#
#   row N: pass|short | situation | figure asked | measured | ratio
#
# Environment: BIN (programs, build/release/bin), ROUNDS (5), IMAGES (where disk images lie; default
# memory), CALLS=yes (counts system calls in a round of its own, with strace), BYTES (instead of the
# script's own sizes: to try a script, not to measure). Root only; see rig.sh.
set -euo pipefail

# The rig's shell and the functions here set these for the scripts.
export size=0 sha='' mnt='' daemon_cpu=0 daemon_peak_kib=0
fragments=()
here=$(dirname "$(realpath "${BASH_SOURCE[0]}")")
self=$(realpath "$0")
export BIN ROUNDS=${ROUNDS:-5} IMAGES=${IMAGES:-}
BIN=$(realpath "${BIN:-$here/../../build/release/bin}")
export scan=bench_Xx_0001.vdif

fail() { echo "$self: $*" >&2; exit 1; }

# ---- the rig and what lies on it ----------------------------------------------------------------

# in_rig MODULES DISKS IMAGE_SIZE FUNCTION [ARGUMENT]...: calls a function of the script with a rig.
in_rig() {
  local -a where=(--ram)
  [ -z "$IMAGES" ] || where=(--images "$IMAGES")
  MODULES=$1 DISKS=$2 "$here/rig.sh" --modules "$1" --disks "$2" --size "$3" "${where[@]}" \
    -- "$self" --inside "${@:4}"
}

# bench_main [ARGUMENT]...: what the last line of a script calls; `main` is the script's own.
bench_main() {
  if [ "${1:-}" = --inside ]; then
    mnt=$RIG_STATE/mnt
    mkdir -p "$mnt"
    trap leave EXIT
    trap 'exit 130' INT TERM HUP
    "${@:2}"
  else
    [ -x "$BIN/mark6fs" ] || fail "$BIN: no programs there; expected mark6fs, mark6gather, mark6; build \
the preset release or set BIN"
    main "$@"
  fi
}

background=()                           # processes to end with the script, by their numbers
leave() {
  trap '' INT TERM HUP
  local pid
  for pid in "${background[@]}"; do kill "$pid" 2> /dev/null || true; done
  ! mountpoint -q "$mnt" || unmount || true
}

# synth OPTION...: one recording on the rig; `size` is what its flat stream has, `sha` its hash.
synth() {
  local report word
  local -a options=(--modules "$MODULES" --disks "$DISKS")
  for word in "$@"; do
    [ -z "${BYTES:-}" ] || [ "${options[-1]}" != --bytes ] || word=$BYTES
    options+=("$word")
  done
  report=$("$BIN/mark6" synth -q "$RIG_ROOT" "${options[@]}")
  size=$(awk '$1 == "bytes:" { print $2 }' <<< "$report")
  sha=$(awk '$1 == "sha256:" { print $2 }' <<< "$report")
  rig.sh fresh
}

fragments_of() { mapfile -t fragments < <(find "$RIG_ROOT/disks" -name "$1" | sort); }

# check_hash: once per rig, by both programs: every byte is where it belongs.
check_hash() {
  local got
  got=$("$BIN/mark6gather" -q "${fragments[@]}" - | sha256_of)
  [ "$got" = "$sha" ] || fail "mark6gather: SHA-256 $got; expected $sha"
  "$BIN/mark6fs" -q "$RIG_ROOT/disks/*/*" "$mnt"
  got=$(sha256_of < "$mnt/$scan")
  unmount
  [ "$got" = "$sha" ] || fail "mark6fs: SHA-256 $got; expected $sha"
}

sha256_of() {
  python3 -c 'import hashlib, sys; print(hashlib.file_digest(sys.stdin.buffer, "sha256").hexdigest())'
}

# make_cold: nothing cached but the programs themselves.
make_cold() {
  rig.sh cold
  local program
  for program in mark6fs mark6gather; do "$BIN/$program" --version > /dev/null; done
  dd if=/dev/null of=/dev/null status=none
  head -c 1 /dev/null | cat
  fusermount3 --version > /dev/null
  sleep 1                               # every way finds the disks equally rested
  before_run
}

before_run() { :; }                     # for scripts to say what else happens then

# ---- one run ------------------------------------------------------------------------------------

# timed COMMAND... [TOKEN COMMAND...]...: runs them as timed.py says, inside the rig's limits; `took`
# and the others tell of the last run.
timed() { rig.sh limited "$here/timed.py" "$RIG_STATE/timed" "$@"; }

took() { awk '$2 > end { end = $2 } END { print end }' "$RIG_STATE/timed"; }
ended() { awk -v n="$1" 'NR == n { print $2 }' "$RIG_STATE/timed"; }
cpu_of() { awk -v n="$1" 'NR == n { print $3 + $4 }' "$RIG_STATE/timed"; }
peak_kib_of() { awk -v n="$1" 'NR == n { print $5 }' "$RIG_STATE/timed"; }

# must_have_read COMMAND_NUMBER BYTES: its libraries add little to what it reads.
must_have_read() {
  local got
  got=$(awk -v n="$1" 'NR == n { print $6 }' "$RIG_STATE/timed")
  if [ "$got" -lt "$2" ] || [ "$got" -gt $(($2 + 200000)) ]; then
    fail "command $1 read $got bytes; expected $2"
  fi
}

daemon_of() { pgrep -f "^[^ ]*(mark6fs|null_fuse) .*$mnt\$" || true; }

# unmount: takes $mnt off and waits for the daemon; daemon_cpu and daemon_peak_kib tell of it.
unmount() {
  local pid ticks
  pid=$(daemon_of)
  if [ -n "$pid" ]; then
    ticks=$(sed 's/.*) //' "/proc/$pid/stat" | awk '{ print $12 + $13 }')
    daemon_cpu=$(calc "$ticks / $(getconf CLK_TCK)")
    daemon_peak_kib=$(awk '$1 == "VmHWM:" { print $2 }' "/proc/$pid/status")
  fi
  fusermount3 -u "$mnt"
  while [ -n "$pid" ] && [ -e "/proc/$pid" ]; do sleep 0.02; done
}

# dd_all_fragments: what the disks give: every fragment at once, O_DIRECT.
dd_all_fragments() {
  local fragment bytes got
  local -a all=()
  bytes=$(($(stat -c %s "${fragments[@]}" | paste -sd+)))
  for fragment in "${fragments[@]}"; do
    all+=(dd "if=$fragment" of=/dev/null bs=1M iflag=direct status=none '&')
  done
  make_cold
  timed "${all[@]:0:${#all[@]}-1}"
  got=$(awk '{ sum += $6 } END { printf "%.0f", sum }' "$RIG_STATE/timed")
  [ "$got" -ge "$bytes" ] || fail "dd read $got bytes of all fragments; expected $bytes"
  note dd "$(rate_of "$bytes" "$(took)")"
}

# cold_gather: notes gather, gather_cpu (s/GB) and peak_kib.
cold_gather() {
  make_cold
  timed "$BIN/mark6gather" -q "${fragments[@]}" - '|' dd of=/dev/null bs=1M status=none
  must_have_read 2 "$size"
  note gather "$(rate_of "$size" "$(took)")"
  note gather_cpu "$(calc "$(cpu_of 1) / ($size / 1e9)")"
  note peak_kib "$(peak_kib_of 1)"
}

# cold_mount NAME READER...: the same for mark6fs and then a command that reads all of $mnt/$scan;
# the daemon's CPU s/GB are daemon_cpu.
cold_mount() {
  make_cold
  timed "$BIN/mark6fs" -q "$RIG_ROOT/disks/*/*" "$mnt" ';' "${@:2}"
  must_have_read 2 "$size"
  note "$1" "$(rate_of "$size" "$(took)")"
  unmount
  note daemon_cpu "$(calc "$daemon_cpu / ($size / 1e9)")"
  note peak_kib "$daemon_peak_kib"
}

# warm_mount NAME BYTES SERVER... -- READER...: the reader's rate and the daemon's CPU, once the
# daemon serves; nothing is made cold.
warm_mount() {
  local name=$1 read_bytes=$2
  shift 2
  local -a server=()
  while [ "$1" != -- ]; do server+=("$1"); shift; done
  timed "${server[@]}" "$mnt" ';' "${@:2}"
  must_have_read 2 "$read_bytes"
  note "$name" "$(rate_of "$read_bytes" "$(calc "$(ended 2) - $(ended 1)")")"
  unmount
  note "${name}_cpu" "$(calc "$daemon_cpu / ($read_bytes / 1e9)")"
}

# Pipes give different rates when both ends share a core and when they do not; which of the two is
# faster depends on the machine. So both are measured, and both ends pinned.
declare -A cores=([1core]='0 0' [2cores]='0 1')

# to_pipe NAME 1core|2cores WRITER...: into dd, start included; notes NAME_1core and its CPU.
to_pipe() {
  local writer reader
  read -r writer reader <<< "${cores[$2]}"
  timed taskset -c "$writer" "${@:3}" '|' taskset -c "$reader" dd of=/dev/null bs=1M status=none
  must_have_read 2 "$size"
  note "$1_$2" "$(rate_of "$size" "$(took)")"
  note "$1_$2_cpu" "$(calc "$(cpu_of 1) / ($size / 1e9)")"
}

# keep_cached FILE...: reads them until they are in the page cache, all of them. Whoever else works on
# this machine may drop caches, so it is tried more than once.
keep_cached() {
  local file bytes resident
  for _ in 1 2 3; do
    cat "$@" > /dev/null
    bytes=0 resident=0
    for file in "$@"; do
      bytes=$((bytes + $(stat -c %s "$file")))
      resident=$((resident + $(fincore -b -n -o RES "$file")))
    done
    [ "$resident" -lt "$bytes" ] || return 0
  done
  fail "$1: of $bytes bytes only $resident stay in the page cache"
}

# ---- figures ------------------------------------------------------------------------------------

calc() { awk "BEGIN { printf \"%.4g\", $1 }"; }
rate_of() { awk -v bytes="$1" -v seconds="$2" 'BEGIN { printf "%.0f", bytes / 1e6 / seconds }'; }

# note NAME VALUE: keeps a round's figure; median_of NAME: of all rounds; last_of NAME.
note() { echo "$2" >> "$RIG_STATE/figures.$1"; }
last_of() { tail -n 1 "$RIG_STATE/figures.$1"; }
median_of() {
  sort -g "$RIG_STATE/figures.$1" |
    awk '{ v[NR] = $1 } END { print (v[int((NR + 1) / 2)] + v[int(NR / 2) + 1]) / 2 }'
}
largest_of() { sort -g "$RIG_STATE/figures.$1" | tail -n 1; }

# rounds NAME... -- FUNCTION: calls FUNCTION, which notes all NAMEs, ROUNDS times and prints them.
rounds() {
  local -a names=()
  while [ "$1" != -- ]; do names+=("$1"); shift; done
  local round name
  printf '%8s' round; printf ' %15s' "${names[@]}"; echo
  for ((round = 1; round <= ROUNDS; round++)); do
    "$2"
    printf '%8s' "$round"
    for name in "${names[@]}"; do printf ' %15s' "$(last_of "$name")"; done
    echo
  done
  printf '%8s' median
  for name in "${names[@]}"; do printf ' %15s' "$(median_of "$name")"; done
  echo
}

# verdict ROW SITUATION ASKED MEASURED RATIO ge|le LIMIT
verdict() {
  local word
  word=$(awk -v r="$5" -v l="$7" -v op="$6" \
    'BEGIN { print (op == "ge" ? r >= l : r <= l) ? "pass" : "short" }')
  printf 'row %s: %s | %s | %s | %s | %.3g\n' "$1" "$word" "$2" "$3" "$4" "$5"
}

# against ROW SITUATION NAME REFERENCE LIMIT: medians of rates; NAME at least LIMIT x REFERENCE.
against() {
  local a b
  a=$(median_of "$3")
  b=$(median_of "$4")
  verdict "$1" "$2" ">= $5 x $4" "$a of $b MB/s" "$(calc "$a / $b")" ge "$5"
}

# memory_verdict ROW: peaks noted as peak_kib against what they may be.
memory_verdict() {
  local allowed peak
  allowed=$(($(budget_kib) + 65536))
  peak=$(largest_of peak_kib)
  verdict 13 "memory of row $1" "RSS <= budget + 64 MiB" \
    "$((peak / 1024)) of $((allowed / 1024)) MiB" "$(calc "$peak / $allowed")" le 1
}

# budget_kib: the programs' default, 8 blocks of 10 MB per disk and at most a quarter of the RAM.
budget_kib() {
  awk -v disks=$((MODULES * DISKS)) '$1 == "MemTotal:" {
    blocks = 8 * disks * 10000000 / 1024; quarter = $2 / 4
    printf "%d", blocks < quarter ? blocks : quarter }' /proc/meminfo
}

# ---- system calls, in runs that are not timed ---------------------------------------------------

counting() { [ "${CALLS:-yes}" = yes ] && command -v strace > /dev/null; }
traced=(strace -f -c -S calls -U "calls,name")

say_calls() {                           # NAME
  local file=$RIG_STATE/calls
  echo "$1: $(awk -v gb="$(calc "$size / 1e9")" \
    '$2 == "total" { printf "%.0f", $1 / gb }' "$file") system calls per GB, of these $(
    awk -v gb="$(calc "$size / 1e9")" '$1 ~ /^[0-9]+$/ && $2 != "total" && ++n <= 5 {
      printf "%s%s %.0f", (n > 1 ? ", " : ""), $2, $1 / gb }' "$file")"
}

# count_gather_calls, count_mount_calls BLOCK_SIZE: of the whole scan.
count_gather_calls() {
  counting || return 0
  "${traced[@]}" -o "$RIG_STATE/calls" "$BIN/mark6gather" -q "${fragments[@]}" - |
    dd of=/dev/null bs=1M status=none
  say_calls mark6gather
}

count_mount_calls() {
  counting || return 0
  "${traced[@]}" -o "$RIG_STATE/calls" "$BIN/mark6fs" -f -q "$RIG_ROOT/disks/*/*" "$mnt" &
  local tracer=$!
  until mountpoint -q "$mnt"; do
    kill -0 $tracer || fail "mark6fs does not mount under strace"
    sleep 0.05
  done
  dd "if=$mnt/$scan" of=/dev/null "bs=$1" status=none
  unmount
  wait $tracer
  say_calls "mark6fs, blocks of $1"
}
