# SPDX-License-Identifier: MIT
# A FIFO waits for its reader; a file that is put in its place meanwhile is not written to.
. "$E2E_LIB"
recording r
echo "precious" > file
cp file kept
mkfifo out
mark6gather r/disks/*/*/data/* out 2> err &
gather=$!
for _ in $(seq 200); do
  ! grep -q FIFO err || break
  sleep 0.1
done
says err "waiting for somebody to read"
mv file out
code=0
wait $gather || code=$?
[ $code = 2 ] || fail "exit code $code, expected 2"
same kept out
says err "no FIFO any more"
