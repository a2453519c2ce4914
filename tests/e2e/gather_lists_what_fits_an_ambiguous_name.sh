# SPDX-License-Identifier: MIT
# A pattern that fits two scans delivers nothing, names both, and exits 2.
. "$E2E_LIB"
recording r --scan exp1_Xx_no0001.vdif
recording r --scan exp1_Xx_no0002.vdif
recording r --scan other_Xx_no0001.vdif
export MARK6_ROOT="$PWD/r/disks/*/*"

exits 2 mark6gather 'exp1_*' - > out 2> err
quiet out
says err exp1_Xx_no0001 exp1_Xx_no0002
! grep -q other_Xx err || fail "a scan that does not fit is listed"
mark6gather 'other_*' - | cmp - r.flat
