# SPDX-License-Identifier: MIT
# An output that exists is left as it is, with a word about --force; --force replaces all of it.
. "$E2E_LIB"
recording r
export MARK6_ROOT="$PWD/r/disks/*/*"
head -c 3000000 /dev/zero > out                    # longer than the scan: no tail may stay
cp out before

if mark6gather exp1_Xx_no0001 -o out 2> err; then fail "overwritten without --force"; fi
same before out
says err --force out
mark6gather exp1_Xx_no0001 --force -o out
same r.flat out
# Devices and named pipes hold nothing that could be lost.
mark6gather exp1_Xx_no0001 -o /dev/null
mkfifo pipe
mark6gather exp1_Xx_no0001 -o pipe & cmp r.flat pipe
wait $!
