# SPDX-License-Identifier: MIT
# SOURCE is a glob, quoted or expanded, of disks or of their data directories; several of them;
# MARK6_ROOT when there is none; only some of the modules; options before or behind (fstab order).
. "$E2E_LIB"
recording r --modules 3 --disks 2
scan=exp1_Xx_no0001.vdif
checked() { mounted mnt "$@"; same r.flat mnt/$scan; fusermount3 -u mnt; }

checked "r/disks/*/*"
checked "$PWD/r/disks/*/*/data"
checked r/disks/[123]/*
checked r/disks/*/*/data
checked "r/disks/1/*" "r/disks/2/*" r/disks/3/0 r/disks/3/1
checked -o ro "r/disks/*/*"
MARK6_ROOT="$PWD/r/disks/*/*" checked
# fstab order: source, mount point, options.
mark6fs "$PWD/r/disks/*/*" mnt -o ro,nosuid,nodev
same r.flat mnt/$scan
fusermount3 -u mnt

recording r --scan two_Xx.vdif --modules 2 --disks 2
mounted mnt "r/disks/[12]/*"
same r.flat mnt/two_Xx.vdif
