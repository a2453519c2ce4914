# SPDX-License-Identifier: MIT
# The same scan has the same inode number in every mount, by stat and by readdir, whatever else
# lies on the disks; different scans have different ones.
. "$E2E_LIB"
for n in 2 4 6; do recording r --scan "s_Xx_$n.vdif" --seed $n --blocks 8; done

inodes() { (cd mnt && stat -c '%n %i' ./*.vdif && find . -name '*.vdif' -printf '%p %i\n' | sort); }
mounted mnt "r/disks/*/*"
inodes > first
fusermount3 -u mnt
[ "$(sed 's/.* //' first | sort -u | wc -l)" = 3 ] || { cat first; fail "inode numbers are shared"; }
for n in 1 3 7; do recording r --scan "s_Xx_$n.vdif" --seed $n --blocks 8; done
mounted mnt "r/disks/*/*"
inodes | grep -E '[246]\.vdif' > second
same first second
