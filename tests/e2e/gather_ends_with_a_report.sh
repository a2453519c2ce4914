# SPDX-License-Identifier: MIT
# The last words on stderr: bytes, MB/s, Gbit/s, holes. -q is silent about a success, and
# --progress=always writes to stderr only.
. "$E2E_LIB"
recording r
export MARK6_ROOT="$PWD/r/disks/*/*"
size=$(stat -c %s r.flat)

mark6gather exp1_Xx_no0001 - 2> err | cmp - r.flat
tr -d ", '" < err | grep -q "$size" || { cat err; fail "the report does not tell $size bytes"; }
says err '[0-9] ?MB/s' '[0-9] ?Gbit/s' hole
mark6gather -q exp1_Xx_no0001 - 2> err | cmp - r.flat
quiet err
mark6gather --progress=always exp1_Xx_no0001 - 2> err | cmp - r.flat
[ -s err ] || fail "no progress"
mark6gather --progress=never exp1_Xx_no0001 - 2> err | cmp - r.flat
! grep -q $'\r' err || fail "progress although it was switched off"
