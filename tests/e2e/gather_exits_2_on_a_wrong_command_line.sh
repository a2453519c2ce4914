# SPDX-License-Identifier: MIT
# No argument, an unknown option, a number that is none: exit 2 with a word, nothing on stdout.
. "$E2E_LIB"
recording r
export MARK6_ROOT="$PWD/r/disks/*/*"
for words in "" "--no-such-option x -" "--bytes=many exp1_Xx_no0001 -" "--skip=-5 exp1_Xx_no0001 -" \
    "--progress=perhaps exp1_Xx_no0001 -"; do
  # shellcheck disable=SC2086
  exits 2 mark6gather $words > out 2> err
  quiet out
  [ -s err ] || fail "no word about: mark6gather $words"
done
