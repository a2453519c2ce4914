# SPDX-License-Identifier: MIT
# No such scan, no such fragment, no such disks: exit 3, the name is told, nothing is made.
. "$E2E_LIB"
recording r
touch out err
before=$(ls)

MARK6_ROOT="$PWD/r/disks/*/*" exits 3 mark6gather nosuch_Xx_no9.vdif - > out 2> err
quiet out
says err nosuch_Xx_no9
MARK6_ROOT="$PWD/nowhere/*/*" exits 3 mark6gather exp1_Xx_no0001.vdif - > out 2> err
quiet out
says err nowhere
exits 3 mark6gather "$PWD/r/disks/*/*/data/nosuch.vdif" - > out 2> err
quiet out
[ "$(ls)" = "$before" ] || fail "left files: $(ls)"
