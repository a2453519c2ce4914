#!/bin/bash
# SPDX-License-Identifier: MIT
# Runs every test of the project: installs the packages it needs, builds (release; the unit tests
# also with AddressSanitizer and ThreadSanitizer) and hands over to ctest, whose summary is the last
# thing printed and whose exit code is this script's.
#
#   tests/run.sh [--tidy] [--fuzz SECONDS] [--no-sanitizers] [CTEST OPTION...]
#
#   --tidy            run clang-tidy over all files as well (some minutes)
#   --fuzz SECONDS    run each fuzz target so long as well (tests/fuzz/run.sh)
#   --no-sanitizers   leave the sanitizer builds out
#   e.g. tests/run.sh -R 'unit: scan index'
set -euo pipefail
cd "$(dirname "$0")/.."
# shellcheck source=tools/packages.sh
source tools/packages.sh

tidy=OFF
sanitizers=(asan tsan)
ctest_options=()
fuzz_seconds=0
while (($#)); do
  word=$1
  shift
  case $word in
    --tidy) tidy=ON ;;
    --fuzz)
      fuzz_seconds=${1:?seconds for each fuzz target}
      shift
      ;;
    --no-sanitizers) sanitizers=() ;;
    -h | --help)
      sed -n '3,13s/^# \{0,1\}//p' "$0"
      exit 0
      ;;
    *) ctest_options+=("$word") ;;
  esac
done

step() { printf '\n== %s\n' "$*"; }

# The sanitizers of GCC 12 cannot place their shadow memory when the kernel randomises addresses by
# more than 28 bits; where the machine allows it they run without randomisation.
without_aslr() {
  if setarch -R true 2>/dev/null; then setarch -R "$@"; else "$@"; fi
}

# Whether programs built with -fsanitize=$1 run on this machine at all.
sanitizer_works() {
  local dir result=0
  dir=$(mktemp -d)
  echo 'int main() { return 0; }' >"$dir/main.cpp"
  g++ -fsanitize="$1" -o "$dir/main" "$dir/main.cpp" && without_aslr "$dir/main" || result=1
  rm -rf "$dir"
  return "$result"
}

step "Packages"
ensure_packages "${MARK6_BUILD_PACKAGES[@]}" "${MARK6_TEST_PACKAGES[@]}"

built=()
for preset in "${sanitizers[@]}"; do
  step "Unit tests with the preset $preset"
  if [[ $preset == asan ]]; then kind=address; else kind=thread; fi
  built+=("$preset")
  sanitizer_works "$kind" || continue # its test then says so and is skipped
  cmake --preset "$preset" -DBUILD_TESTING=ON >/dev/null
  without_aslr cmake --build --preset "$preset" --target unit_tests
done

if ((fuzz_seconds)); then
  step "Fuzzing, $fuzz_seconds s for each target"
  tests/fuzz/run.sh "$fuzz_seconds"
fi

step "Release build"
cmake --preset release -DBUILD_TESTING=ON -DMARK6_TIDY="$tidy" \
  -DMARK6_SANITIZED_UNIT_TESTS="$(IFS=';' && echo "${built[*]-}")" >/dev/null
cmake --build --preset release

step "Tests"
exec ctest --test-dir build/release --output-on-failure --no-tests=error \
  --parallel "$(nproc)" "${ctest_options[@]}"
