# SPDX-License-Identifier: MIT
# Whatever the command line says, a fragment that is read is not written to: not as the last
# argument, not through a hard link, a symbolic link or a redirection, not even by --force.
. "$E2E_LIB"
recording r --disks 3
data=r/disks/1
scan=exp1_Xx_no0001.vdif
ln "$data/2/data/$scan" hard
ln -s "$data/1/data/$scan" soft
untouched() { sha256sum "$data"/*/data/$scan; }
before=$(untouched)

mark6gather "$data"/*/data/$scan > out             # the last fragment is an input, not the output
same r.flat out
mark6gather "$data"/*/data/$scan hard > /dev/null 2>&1 || true
for target in "$data/0/data/$scan" hard soft; do
  for option in "" --force --append; do
    # shellcheck disable=SC2086
    if mark6gather $option "$data"/*/data/$scan -o "$target" 2> err; then
      fail "wrote to the input $target ($option)"
    fi
    [ -s err ] || fail "no word about the output $target"
    [ "$(untouched)" = "$before" ] || fail "the input $target was changed ($option)"
  done
done
if mark6gather "$data"/*/data/$scan - >> soft 2> err; then fail "wrote to an input on stdout"; fi
[ "$(untouched)" = "$before" ] || fail "an input was changed"
