# SPDX-License-Identifier: MIT
# --append goes on exactly where an interrupted copy ends, wherever that is; a whole copy stays.
. "$E2E_LIB"
recording r --packet-bytes 8032 --blocks 25 --placement random
export MARK6_ROOT="$PWD/r/disks/*/*"
size=$(stat -c %s r.flat)
for have in 0 1 4096 80320 99999 $((size - 1)) "$size"; do
  head -c "$have" r.flat > copy
  mark6gather exp1_Xx_no0001 --append -o copy
  same r.flat copy
done
rm copy
mark6gather exp1_Xx_no0001 --append -o copy       # nothing there yet: a copy from the start
same r.flat copy
