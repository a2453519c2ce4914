# SPDX-License-Identifier: MIT
# `mount -t fuse.mark6fs SOURCE MOUNTPOINT`, as a line of /etc/fstab does it.
. "$E2E_LIB"
needs_fuse
[ "$(id -u)" = 0 ] || skip "only root may use mount(8)"
[ -x /sbin/mount.fuse ] || [ -x /usr/sbin/mount.fuse ] || skip "this machine has no mount.fuse"
recording r
mkdir mnt
e2e_mounts+=(mnt)
PATH="$MARK6_BIN:$PATH" mount -t fuse.mark6fs "$PWD/r/disks/*/*" "$PWD/mnt" -o ro,allow_other
same r.flat mnt/exp1_Xx_no0001.vdif
says /proc/self/mountinfo "$PWD/mnt ro,nosuid,nodev.* fuse\.mark6fs "
umount mnt
