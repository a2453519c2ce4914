# SPDX-License-Identifier: MIT
# mark6fs without any privilege: started by an ordinary user, it mounts, serves and unmounts; root,
# who did not mount it, may not look in.
. "$E2E_LIB"
needs_fuse
if [ "$(id -u)" != 0 ]; then
  recording r
  mounted mnt "r/disks/*/*"
  same r.flat mnt/exp1_Xx_no0001.vdif
  exit
fi
needs setpriv
[ -u "$(command -v fusermount3)" ] || skip "fusermount3 is not setuid"
as_nobody() { setpriv --reuid=65534 --regid=65534 --clear-groups "$@"; }
chmod 755 .
as_nobody test -x "$MARK6_BIN/mark6fs" || skip "an ordinary user cannot reach $MARK6_BIN"

# Some machines keep /dev/fuse to root, against the custom: then a namespace of our own opens it.
if ! as_nobody bash -c ': < /dev/fuse' 2> /dev/null; then
  [ -z "${E2E_OWN_NAMESPACE:-}" ] || skip "/dev/fuse is root's alone"
  mknod -m 666 fuse_node c 10 229 || skip "/dev/fuse is root's alone"
  # shellcheck disable=SC2016  # $0 is for the inner shell
  E2E_OWN_NAMESPACE=1 exec unshare --mount --propagation private bash -c \
    'mount --bind fuse_node /dev/fuse && exec bash "$0"' "$0"
fi
recording r
mkdir mnt
chown 65534:65534 mnt
as_nobody "$MARK6_BIN/mark6fs" "$PWD/r/disks/*/*" mnt
as_nobody cmp r.flat mnt/exp1_Xx_no0001.vdif
as_nobody "$MARK6_BIN/mark6gather" -q "$PWD"/r/disks/*/*/data/exp1_Xx_no0001.vdif - | cmp - r.flat
! cat mnt/exp1_Xx_no0001.vdif > /dev/null 2>&1 || fail "without allow_other root may look in"
as_nobody fusermount3 -u mnt
