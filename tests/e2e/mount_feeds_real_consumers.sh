# SPDX-License-Identifier: MIT
# The tools that operators use on a scan, one after the other.
. "$E2E_LIB"
recording r --packet-bytes 5032 --packets-per-block 200 --blocks 25 --modules 2 --disks 3
mounted mnt "r/disks/*/*"
scan=mnt/exp1_Xx_no0001.vdif

dd if=$scan bs=1M status=none | cmp - r.flat
dd if=$scan bs=5032 skip=1001 count=77 status=none |
  cmp - <(dd if=r.flat bs=5032 skip=1001 count=77 status=none)
dd if=$scan iflag=direct bs=1M status=none | cmp - r.flat
# shellcheck disable=SC2002  # cat is what is tried here
cat $scan | cmp - r.flat
cp $scan copy
same r.flat copy
cp -p $scan kept
[ "$(stat -c %Y kept)" = "$(stat -c %Y $scan)" ] || fail "cp -p does not keep the time"
same r.flat $scan
[ "$(hash_of $scan)" = "$(hash_of r.flat)" ] || fail "sha256sum differs"
tail -c 1000001 $scan | cmp - <(tail -c 1000001 r.flat)
head -c 1000001 $scan | cmp - <(head -c 1000001 r.flat || true)
[ "$(wc -c < $scan)" = "$(stat -c %s r.flat)" ] || fail "wc -c"
[ "$(du -b $scan | cut -f1)" = "$(stat -c %s r.flat)" ] || fail "du -b"
od -A n -t x4 -N 32 $scan | cmp - <(od -A n -t x4 -N 32 r.flat)
tar cf - -C mnt exp1_Xx_no0001.vdif | tar xf - -O | cmp - r.flat
