# SPDX-License-Identifier: MIT
# Missing blocks move the later bytes up; exit 1 and a count on stderr tell, also with -q.
. "$E2E_LIB"
recording r --missing 7 --missing 8 --missing 20
export MARK6_ROOT="$PWD/r/disks/*/*"
exits 1 mark6gather exp1_Xx_no0001 - > out 2> err
same r.flat out
says err '(^|[^0-9])3([^0-9]|$)' 'missing|hole'
exits 1 mark6gather -q exp1_Xx_no0001 -o copy 2> err
same r.flat copy

recording s --missing-disks 1/2                    # a disk without a fragment
exits 1 mark6gather s/disks/1/*/data/* - > out
same s.flat out
