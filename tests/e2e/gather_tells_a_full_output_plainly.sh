# SPDX-License-Identifier: MIT
# An output without room: exit 4, the words "no space" and what was complete until then.
. "$E2E_LIB"
recording r --blocks 400
export MARK6_ROOT="$PWD/r/disks/*/*"

exits 4 mark6gather exp1_Xx_no0001 - 2> err > /dev/full
says err 'no space'

[ "$(id -u)" = 0 ] || exit 0                        # the rest mounts a small file system
mkdir small
mount -t tmpfs -o size=1m small small
trap 'umount small' EXIT
exits 4 mark6gather exp1_Xx_no0001 -o small/copy 2> err
says err 'no space' small/copy
cmp -n "$(stat -c %s small/copy)" small/copy r.flat || fail "what was written is wrong"
