# SPDX-License-Identifier: MIT
# The idiom of the users: fragments by a shell-expanded or a quoted glob, "-", and dd behind it.
. "$E2E_LIB"
recording r --modules 2 --disks 4 --placement recorder --blocks 60
scan=exp1_Xx_no0001.vdif

mark6gather r/disks/[12]/*/data/$scan - | dd of=expanded bs=1M status=none
same r.flat expanded
mark6gather "r/disks/[12]/*/data/$scan" - | dd of=quoted bs=1M status=none
same r.flat quoted
mark6gather r/disks/[12]/*/data/$scan | dd of=stdout bs=1M status=none
same r.flat stdout
mark6gather r/disks/[12]/*/data/$scan new_file
same r.flat new_file
MARK6_ROOT="$PWD/r/disks/*/*" mark6gather $scan - | dd of=by_root bs=1M status=none
same r.flat by_root
MARK6_ROOT="$PWD/r/disks/*/*/data" mark6gather $scan - | dd of=by_data_root bs=1M status=none
same r.flat by_data_root
