#!/bin/bash
# SPDX-License-Identifier: MIT
# Row 12: mark6gather from disks in memory into a new file on XFS (itself in memory), and into a TCP
# connection on the loopback interface, against dd bs=4M of a flat file in the page cache to the same
# places. Start included. 1.5 GB: less than what makes the kernel begin to write out dirty pages while
# one of them is timed.
# shellcheck source=tests/bench/lib.sh
source "$(dirname "$(realpath "$0")")/lib.sh"

# to_file NAME COMMAND...: the command writes $target. It does so once before without being timed: where
# free memory goes back to a host, whoever comes first would pay for getting it, and pages of another
# size than the ones just given back are not the same memory.
to_file() {
  rm -f "$target"
  "${@:2}"
  rm "$target"
  timed "${@:2}"
  [ "$(stat -c %s "$target")" = "$size" ] || fail "$target: $(stat -c %s "$target") bytes; expected $size"
  note "$1" "$(rate_of "$size" "$(took)")"
  note "$1_cpu" "$(calc "$(cpu_of 1) / ($size / 1e9)")"
}

dd_to_file() { to_file dd_file dd "if=$RIG_STATE/flat" "of=$target" bs=4M status=none; }

gather_to_file() {
  to_file file "$BIN/mark6gather" -q "${fragments[@]}" -o "$target"
  note peak_kib "$(peak_kib_of 1)"
  [ "$round" != 1 ] || [ "$(sha256_of < "$target")" = "$sha" ] || fail "$target: wrong bytes"
}

file_round() {
  keep_cached "$RIG_STATE/flat"
  if ((round % 2)); then dd_to_file; gather_to_file; else gather_to_file; dd_to_file; fi
}

# The target's image is in memory too, and has all of its memory before the first round.
fill_target() {
  cat "$RIG_STATE/flat" > "$target"
  sync "$target"
  rm "$target"
}

# to_socket NAME 1core|2cores COMMAND...: the command's stdout is the connection.
to_socket() {
  local counts_before=0 writer reader
  read -r writer reader <<< "${cores[$2]}"
  taskset -p -c "$reader" "${background[0]}" > /dev/null
  [ ! -e "$RIG_STATE/counts" ] || counts_before=$(wc -l < "$RIG_STATE/counts")
  # shellcheck disable=SC2016           # the inner shell is to expand these
  timed taskset -c "$writer" bash -c 'exec "${@:2}" > "/dev/tcp/127.0.0.1/$1"' \
    to_socket "$port" "${@:3}"
  until [ -e "$RIG_STATE/counts" ] && [ "$(wc -l < "$RIG_STATE/counts")" -gt "$counts_before" ]; do
    sleep 0.02
  done
  [ "$(tail -n 1 "$RIG_STATE/counts")" = "$size" ] ||
    fail "$(tail -n 1 "$RIG_STATE/counts") bytes came over TCP; expected $size"
  note "$1_$2" "$(rate_of "$size" "$(took)")"
  note "$1_$2_cpu" "$(calc "$(cpu_of 1) / ($size / 1e9)")"
}

socket_round() {
  local on
  for on in 1core 2cores; do
    keep_cached "$RIG_STATE/flat"
    to_socket dd $on dd "if=$RIG_STATE/flat" bs=4M status=none
    to_socket gather $on "$BIN/mark6gather" -q "${fragments[@]}" -
    note peak_kib "$(peak_kib_of 1)"
  done
}

# The last disk of the rig has nothing of the scan: the file goes there.
inside() {
  target=$RIG_ROOT/disks/2/0/copy
  DISKS=8 MODULES=1 synth --scan "$scan" --bytes 1500M --placement recorder --flat "$RIG_STATE/flat"
  fragments_of "$scan"
  check_hash
  sync
  "$here/tcp_sink.py" "$RIG_STATE/port" "$RIG_STATE/counts" & background+=($!)
  until [ -e "$RIG_STATE/port" ]; do sleep 0.02; done
  port=$(cat "$RIG_STATE/port")
  echo "disks in memory, to a file and over TCP: MB/s, start included; CPU s/GB of the writer"
  fill_target
  rounds dd_file file dd_file_cpu file_cpu -- file_round
  rm "$target"
  rounds dd_1core gather_1core dd_2cores gather_2cores \
    dd_1core_cpu gather_1core_cpu dd_2cores_cpu gather_2cores_cpu -- socket_round
  against 12 "to a file on XFS: mark6gather -o" file dd_file 0.9
  against 12 "to TCP on loopback: mark6gather on 1 core" gather_1core dd_1core 0.9
  against 12 "to TCP on loopback: mark6gather on 2 cores" gather_2cores dd_2cores 0.9
  MODULES=1 DISKS=8 memory_verdict 12
}

main() { in_rig 2 8 2800M inside; }

bench_main "$@"
