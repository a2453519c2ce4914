# SPDX-License-Identifier: MIT
# mount(8) with type fuse.PROGRAM, as a line of /etc/fstab does it (where the program is installed,
# type fuse.mark6fs will do). mount.fuse adds dev and suid on its own; they must not take effect.
. "$E2E_LIB"
needs_fuse
[ "$(id -u)" = 0 ] || skip "only root may use mount(8)"
[ -x /sbin/mount.fuse ] || [ -x /usr/sbin/mount.fuse ] || skip "this machine has no mount.fuse"
recording r
mkdir mnt
e2e_mounts+=(mnt)
mount -t "fuse.$MARK6_BIN/mark6fs" "$PWD/r/disks/*/*" "$PWD/mnt" -o ro,nofail,allow_other
same r.flat mnt/exp1_Xx_no0001.vdif
says /proc/self/mountinfo "$PWD/mnt ro,nosuid,nodev.* fuse\.mark6fs "
umount mnt
