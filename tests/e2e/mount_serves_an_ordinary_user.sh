# SPDX-License-Identifier: MIT
# mark6fs without any privilege: started by an ordinary user, it mounts, serves and unmounts.
. "$E2E_LIB"
needs_fuse
recording r
if [ "$(id -u)" != 0 ]; then
  mounted mnt "r/disks/*/*"
  same r.flat mnt/exp1_Xx_no0001.vdif
  exit
fi
needs setpriv
[ -u "$(command -v fusermount3)" ] || skip "fusermount3 is not setuid"
chmod 755 .
as_nobody() { setpriv --reuid=65534 --regid=65534 --clear-groups "$@"; }
mkdir mnt
chown 65534:65534 mnt
as_nobody test -x "$MARK6_BIN/mark6fs" || skip "an ordinary user cannot reach $MARK6_BIN"

as_nobody "$MARK6_BIN/mark6fs" "$PWD/r/disks/*/*" mnt
as_nobody cmp r.flat mnt/exp1_Xx_no0001.vdif
as_nobody "$MARK6_BIN/mark6gather" -q "$PWD"/r/disks/*/*/data/exp1_Xx_no0001.vdif - | cmp - r.flat
! cat mnt/exp1_Xx_no0001.vdif > /dev/null 2>&1 || fail "without allow_other root may not look in"
as_nobody fusermount3 -u mnt
