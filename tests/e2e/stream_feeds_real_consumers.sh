# SPDX-License-Identifier: MIT
# What operators put behind the stream: dd, pv and tee (both splice or copy onward), head, cat, cp.
. "$E2E_LIB"
recording r --packet-bytes 8032 --packets-per-block 124 --blocks 30 --modules 2 --placement recorder
stream() { mark6gather -q r/disks/*/*/data/exp1_Xx_no0001.vdif "$@"; }
expected=$(hash_of r.flat)
right() { [ "$(cut -d' ' -f1)" = "$expected" ] || fail "$*"; }

stream - | dd bs=1M iflag=fullblock status=none | sha256sum | right dd
stream - | cat | sha256sum | right cat
# shellcheck disable=SC2216  # cp reads it by its name
stream - | cp /dev/stdin copy
hash_of copy | right cp
stream - | tee one two | sha256sum | right tee
hash_of one | right "first file of tee"
hash_of two | right "second file of tee"
mkfifo pipe
sha256sum < pipe > of_pipe &
stream - | tee pipe | sha256sum | right "tee beside a pipe"
wait
right "pipe of tee" < of_pipe
stream - | head -c 2000003 | cmp - <(head -c 2000003 r.flat || true)
stream - | (sleep 1; sha256sum) | right "a reader that comes late"
stream - > redirected
hash_of redirected | right "a redirection"
stream - >> redirected
[ "$(stat -c %s redirected)" = $((2 * $(stat -c %s r.flat))) ] || fail "appended by >>"
cmp <(cat r.flat r.flat) redirected || fail "appended by >>"
needs pv
stream - | pv -q | sha256sum | right pv
stream - | pv -q | tee three | pv -q -L 40m | sha256sum | right "pv, tee, pv with a rate"
hash_of three | right "tee between two pv"
