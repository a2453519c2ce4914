#!/bin/bash
# SPDX-License-Identifier: MIT
# Builds the fuzz targets (preset fuzz: clang, AddressSanitizer, UndefinedBehaviorSanitizer) and
# runs each of them for SECONDS (default 60) from the stored seeds, as many at once as there are
# cores. What they learn is kept in build/fuzz/corpus, so that the next run goes on from there.
#
#   tests/fuzz/run.sh [SECONDS] [TARGET...]
#
#   FUZZ_JOBS=N   so many targets at once
#
# Prints the executions of each target and their sum. Any finding fails the run; its input is then
# in build/fuzz/findings, and build/fuzz/bin/fuzz_TARGET FILE repeats it.
set -euo pipefail
cd "$(dirname "$0")/../.."
case ${1-} in
  -h | --help)
    sed -n '3,12s/^# \{0,1\}//p' "$0"
    exit 0
    ;;
esac
seconds=${1:-60}
targets=("${@:2}")
if ((${#targets[@]} == 0)); then
  for folder in tests/fuzz/seeds/*/; do targets+=("$(basename "$folder")"); done
fi

cmake --preset fuzz -DBUILD_TESTING=ON >/dev/null
cmake --build --preset fuzz --target fuzz_targets
mkdir -p build/fuzz/findings build/fuzz/logs

# fuzz TARGET: one of them, for the time given; its last words say how many executions there were.
# shellcheck disable=SC2317 # xargs calls it
fuzz() {
  local target=$1
  mkdir -p "build/fuzz/corpus/$target"
  "build/fuzz/bin/fuzz_$target" -max_total_time="$seconds" -timeout=10 -rss_limit_mb=1024 \
    -max_len=4096 -use_value_profile=1 -print_final_stats=1 \
    -artifact_prefix="build/fuzz/findings/$target-" \
    "build/fuzz/corpus/$target" "tests/fuzz/seeds/$target" >"build/fuzz/logs/$target" 2>&1 &&
    return 0
  touch "build/fuzz/logs/$target.failed"
}
export -f fuzz
export seconds
rm -f build/fuzz/logs/*.failed
printf '%s\0' "${targets[@]}" | xargs -0 -P "${FUZZ_JOBS:-$(nproc)}" -I{} bash -c 'fuzz {}'

sum=0
result=0
for target in "${targets[@]}"; do
  log=build/fuzz/logs/$target
  count=$(sed -n 's/^stat::number_of_executed_units: *//p' "$log")
  printf '%-14s %12s executions\n' "$target" "${count:-0}"
  sum=$((sum + ${count:-0}))
  if [[ -e $log.failed ]]; then
    result=1
    echo "FAILED: $target; the end of $log:"
    tail -n 40 "$log"
  fi
done
printf '%-14s %12s executions in %s s each\n' sum "$sum" "$seconds"
exit "$result"
