# SPDX-License-Identifier: MIT
# Two mounts of the same modules stand side by side and do not disturb each other; a gather reads
# the same disks meanwhile.
. "$E2E_LIB"
recording r --packet-bytes 8032 --packets-per-block 124 --blocks 20 --modules 2
scan=exp1_Xx_no0001.vdif

mounted mnt1 "r/disks/*/*"
mounted mnt2 "r/disks/*/*"
cmp mnt1/$scan r.flat & one=$!
cmp mnt2/$scan r.flat & two=$!
mark6gather -q r/disks/*/*/data/$scan - | cmp - r.flat
wait $one
wait $two
fusermount3 -u mnt1
same r.flat mnt2/$scan
