# SPDX-License-Identifier: MIT
# What cannot be mounted: an exit code of the table, a sentence with the path, and no mount.
. "$E2E_LIB"
needs_fuse
recording r
mkdir mnt
exits 2 mark6fs > out 2> err
exits 2 mark6fs -o no_such_option "r/disks/*/*" mnt > out 2> err
says err no_such_option
exits 3 mark6fs "nowhere/*/*" mnt > out 2> err
says err nowhere
code=0
mark6fs "r/disks/*/*" nosuchdir > out 2> err || code=$?
[ $code != 0 ] || fail "mounted on a directory that does not exist"
says err nosuchdir
! mountpoint -q mnt || fail "mounted all the same"
