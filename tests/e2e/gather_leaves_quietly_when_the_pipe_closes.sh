# SPDX-License-Identifier: MIT
# The reader of the pipe has had enough: not an error. Exit 0, no complaint, no end by SIGPIPE.
. "$E2E_LIB"
recording r --packet-bytes 8032 --packets-per-block 124 --blocks 12
export MARK6_ROOT="$PWD/r/disks/*/*"
for bytes in 0 1 65536 5000000; do
  set +e
  mark6gather -q exp1_Xx_no0001 - 2> err | head -c $bytes > out
  codes=("${PIPESTATUS[@]}")
  set -e
  [ "${codes[0]}" = 0 ] || fail "exit code ${codes[0]} after head -c $bytes"
  same <(head -c $bytes r.flat) out
  quiet err
done
