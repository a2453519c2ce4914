# SPDX-License-Identifier: MIT
# dd with block sizes from 512 bytes to 16 MiB gets the same bytes from the mount and the stream.
. "$E2E_LIB"
recording r --packet-bytes 8032 --packets-per-block 124 --blocks 8 --placement random
scan=exp1_Xx_no0001.vdif
mounted mnt "r/disks/*/*"
for size in 512 1000 4K 10000 64K 1M 1000001 4M 16M; do
  dd if=mnt/$scan bs=$size status=none | cmp - r.flat || fail "mount, bs=$size"
  mark6gather -q r/disks/*/*/data/$scan - | dd bs=$size status=none | cmp - r.flat ||
    fail "stream, bs=$size"
done
