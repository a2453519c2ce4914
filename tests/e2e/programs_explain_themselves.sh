# SPDX-License-Identifier: MIT
# --version and --help of each program: exit 0, on stdout; gather's help fits on a screen and has
# three examples.
. "$E2E_LIB"
for program in mark6gather mark6fs mark6; do
  "$MARK6_BIN/$program" --version > out 2> err
  says out '[0-9]+\.[0-9]+\.[0-9]+'
  quiet err
  "$MARK6_BIN/$program" --help > out 2> err
  says out "$program"
  quiet err
done
mark6gather --help > out
[ "$(wc -l < out)" -le 50 ] || fail "the help has $(wc -l < out) lines"
[ "$(wc -L < out)" -le 100 ] || fail "the help is $(wc -L < out) columns wide"
[ "$(grep -cE '^ +(\$ )?(MARK6_ROOT=\S+ )?mark6gather ' out)" -ge 3 ] || fail "no three examples"
