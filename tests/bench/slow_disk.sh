#!/bin/bash
# SPDX-License-Identifier: MIT
# Is the slow disk named, and no other? On PACK (2) modules of 8 disks of RATE, with a scan of BYTES:
#   named     one disk at 1/2, 1/4, 1/8 of the rate, then two on two modules: each must be called slow
#             within 10 s of streaming by mark6gather, by mark6fs, and by diagnose --quick; no other may
#   healthy   RUNS runs with rates that differ by up to JITTER % either way, another draw each time, in
#             turn through mark6gather and mark6fs: nothing may be called slow at any time
#   sink      a consumer that takes 100 MB/s (pv -L): called a slow sink, no disk slow
#   recorder  a recording made with one slow disk, on a healthy pack: fine now, slow while recording
#   kernel    our rate, r_await and aqu-sz beside /proc/diskstats
# In all of them: how far the stall ledger is from the stream's time. Prints a table of
#   situation | asked | found | pass or short
# Root; see rig.sh. Needs jq and pv.
#
#   slow_disk.sh [named|healthy|sink|recorder|kernel]...
#                PACK=2 RATE=60M BYTES=8G RUNS=20 JITTER=20 IMAGES= (lib.sh)
# shellcheck source=tests/bench/lib.sh
source "$(dirname "$(realpath "$0")")/lib.sh"
export PACK=${PACK:-2} RATE=${RATE:-60M} RUNS=${RUNS:-20} JITTER=${JITTER:-20}
disk_size=$((2600 / PACK))M
labels=()
for ((module = 1; module <= PACK; module++)); do for disk in {0..7}; do labels+=("$module/$disk"); done; done

found=/dev/null                        # where the last run's findings lie
say() {                                 # SITUATION ASKED FOUND pass|short
  printf '%s: %s | %s | %s\n' "$1" "$4" "$2" "$3" | tee -a "$RIG_STATE/said"
}

# told SITUATION ASKED FOUND CONDITION: CONDITION is jq, on the findings.
told() { say "$1" "$2" "$3" "$(jq -r "if $4 then \"pass\" else \"short\" end" "$found")"; }

# watched NAME FILE PID: what the statistics say while PID lives.
watched() {
  found=$RIG_STATE/found.json
  "$here/stats_watch.py" "$2" --until "$3" ${before:+--kernel "$before"} > "$found"
  say_ledger "$1"
}
before=''                               # where a copy of /proc/diskstats is wanted, and then is
note_diskstats() { [ -z "$before" ] || cat /proc/diskstats > "$before"; }

say_ledger() {
  told "$1: the ledger" "within 1 % of the time" \
    "$(jq -r '.ledger_off * 10000 | round / 100' "$found") % off" '.ledger_off <= 0.01'
}

# streamed NAME [SINK...]: mark6gather into SINK (cat).
streamed() {
  local stats=$RIG_STATE/gather.stats pid
  rm -f "$stats"
  rig.sh cold
  note_diskstats
  rig.sh limited "$BIN/mark6gather" -q --stats "$stats" --stats-interval 0.5 "${fragments[@]}" - \
    > >("${@:2}" > /dev/null) &
  pid=$!
  watched "$1" "$stats" "$pid"
  wait "$pid"
}

# mounted NAME READER...: mark6fs, its own statistics in the mount.
mounted() {
  local pid
  rig.sh cold
  note_diskstats
  rig.sh limited "$BIN/mark6fs" -q "$RIG_ROOT/disks/*/*" "$mnt"
  "${@:2}" < "$mnt/$scan" > /dev/null &
  pid=$!
  watched "$1" "$mnt/.mark6/stats.json" "$pid"
  wait "$pid"
  unmount
}

# Which disks were called so at any time, and after how many seconds.
ever() { jq -r --arg verdict "$1" '[.first | to_entries[] | select(.value[$verdict] != null)
  | "\(.key) after \(.value[$verdict]) s"] | join(", ") | if . == "" then "none" else . end' "$found"; }

# named_in_time SITUATION LABEL...
named_in_time() {
  local situation=$1 list
  shift
  list=$(printf '"%s",' "$@")
  told "$situation" "$* slow within 10 s, no other" "$(ever slow)" "[.first | to_entries[]
    | select(.value.slow != null) | .key] as \$slow | (\$slow | sort) == ([${list%,}] | sort)
    and all(.first[${list%,}]; .slow <= 10)"
}

# Our reader through both programs, and diagnose, with the disks LABEL:FRACTION slower.
name_the_slow() {
  local one rate labels_slow=() situation="$*"
  rate=$(numfmt --from=si "$RATE")
  for one in "$@"; do
    rig.sh rate $((rate / ${one#*:})) "${one%:*}"
    labels_slow+=("${one%:*}")
  done
  streamed "$situation, mark6gather" cat
  named_in_time "$situation, mark6gather" "${labels_slow[@]}"
  mounted "$situation, mark6fs" cat
  named_in_time "$situation, mark6fs" "${labels_slow[@]}"
  diagnosed "$situation, diagnose --quick" "${labels_slow[@]}"
  for one in "${labels_slow[@]}"; do rig.sh rate "$RATE" "$one"; done
}

diagnosed() {                           # SITUATION LABEL...
  local code=0 start
  found=$RIG_STATE/diagnosed.json
  start=$(date +%s%3N)
  rig.sh limited "$BIN/mark6" diagnose --root "$RIG_ROOT/disks/*/*" --quick --json > "$found" || code=$?
  local situation=$1 list=''
  shift
  [ $# = 0 ] || list=$(printf '"%s",' "$@")
  told "$situation" "${*:-no disk} slow" \
    "$(jq -r '[.devices[] | select(.verdict == "slow") | "\(.module)/\(.disk)"] | join(" ")' "$found"), exit $code, $((($(date +%s%3N) - start) / 1000)) s" \
    "([.devices[] | select(.verdict == \"slow\") | \"\(.module)/\(.disk)\"] | sort) == ([${list%,}] | sort)"
}

named() {
  rig.sh rate "$RATE"
  name_the_slow 1/3:2
  name_the_slow 2/5:4
  name_the_slow 2/0:8
  name_the_slow 1/1:2 2/6:2
}

healthy() {
  local run label rate situation
  rate=$(numfmt --from=si "$RATE")
  for ((run = 1; run <= RUNS; run++)); do
    RANDOM=$run
    for label in "${labels[@]}"; do
      rig.sh rate $((rate * (1000 - JITTER * 10 + RANDOM % (JITTER * 20 + 1)) / 1000)) "$label"
    done
    situation="healthy, rates within $JITTER % either way, draw $run"
    if ((run % 2)); then
      streamed "$situation, mark6gather" cat
    else
      mounted "$situation, mark6fs" cat
    fi
    told "$situation" "no disk slow" "slow: $(ever slow); suspect: $(ever suspect)" \
      'all(.first[]; .slow == null)'
  done
  rig.sh rate "$RATE"
}

sink() {
  rig.sh rate "$RATE"
  streamed "a sink of 100 MB/s, mark6gather" pv -q -L 100M -S -s 1500M
  told "a sink of 100 MB/s, mark6gather" "limited by the sink, no disk slow" \
    "$(jq -r '"\(.limit.limit): \(.limit.limit_reason)"' "$found"); slow: $(ever slow)" \
    '.limit.limit == "sink" and all(.first[]; .slow == null)'
  mounted "a sink of 100 MB/s, mark6fs" pv -q -L 100M -S -s 1500M
  told "a sink of 100 MB/s, mark6fs" "limited by the sink, no disk slow" \
    "$(jq -r '"\(.limit.limit): \(.limit.limit_reason)"' "$found"); slow: $(ever slow)" \
    '.limit.limit == "sink" and all(.first[]; .slow == null)'
}

# The findings of both: slow while recording, and not now.
recorder() {
  rig.sh rate "$RATE"
  streamed "recorded with 1/4 three times slower, mark6gather" cat
  said_recorder "recorded with 1/4 three times slower, mark6gather"
  mounted "recorded with 1/4 three times slower, mark6fs" cat
  said_recorder "recorded with 1/4 three times slower, mark6fs"
  diagnosed "recorded with 1/4 three times slower, diagnose --quick"
  told "recorded with 1/4 three times slower, diagnose --quick" "1/4 slow while recording, fine now" \
    "$(jq -r '.devices[] | select(.module == "1" and .disk == "4") | "\(.verdict); \(.recording)"' "$found")" \
    '[.devices[] | select(.slow_while_recording) | "\(.module)/\(.disk) \(.verdict)"] == ["1/4 fine"]'
}

said_recorder() {
  told "$1" "1/4 slow while recording, fine now" \
    "$(jq -r '.last["1/4"] | "\(.verdict); \(.recording)"' "$found")" \
    '[.last | to_entries[] | select(.value.slow_while_recording) | .key] == ["1/4"]
     and .last["1/4"].verdict == "fine"'
}

# Four disks on one device that gives KERNEL_RATE: only so do the kernel's counters of a throttled disk
# hold the time that it takes. (A limit on the disk itself delays its reads before they are counted.)
kernel() {
  echo "${below:?} $(numfmt --from=si "${KERNEL_RATE:-240M}")" > "$RIG_CGROUP/blkio.throttle.read_bps_device"
  agrees_with_the_kernel "disks of 60 MB/s, mark6gather" streamed cat
  agrees_with_the_kernel "disks of 60 MB/s, mark6fs" mounted cat
}

agrees_with_the_kernel() {              # SITUATION streamed|mounted READER
  before=$RIG_STATE/diskstats
  "$2" "$1" "$3"
  before=''
  told "$1 and the kernel" "rate, r_await, aqu-sz within 10 %" \
    "$(jq -r '.kernel as $all | ["rate", "r_await", "aqu-sz"] | map(. as $key
      | [$all[][$key] | .[0] / .[1] * 100 | round / 100] | sort | "\($key) \(.[0]) to \(.[-1])")
      | join(", ")' "$found") of the kernel's" \
    'all(.kernel[]; all(.["rate", "r_await", "aqu-sz"]; (.[0] / .[1] - 1 | fabs) <= 0.1))'
}

# On the one disk of a rig: another, with its images there.
above() {
  below=$(cat "/sys/block/$(basename "$(cut -d' ' -f2 "$RIG_STATE/disks")")/dev") \
    IMAGES=$RIG_ROOT/disks/1/0 in_rig 1 4 1300M inside kernel
}

inside() {
  local part
  local -a slow_disk=()
  [ "$1" != recorder ] || slow_disk=(--slow 1/4:3)
  local bytes=8G
  [ "$1" != kernel ] || bytes=4G       # so much that no header is read by itself
  synth --scan "$scan" --bytes "${BYTES:-$bytes}" --placement recorder "${slow_disk[@]}"
  fragments_of "$scan"
  for part in "$@"; do "$part"; done
}

main() {
  local part
  [ $# -gt 0 ] || set -- named healthy sink recorder kernel
  for part in "$@"; do
    case $part in
      kernel) in_rig 1 1 6G above ;;
      named | healthy | sink | recorder) in_rig "$PACK" 8 "$disk_size" inside "$part" ;;
      *) fail "$part: no such part; expected named, healthy, sink, recorder or kernel" ;;
    esac
  done
}

bench_main "$@"
