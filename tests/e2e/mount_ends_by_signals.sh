# SPDX-License-Identifier: MIT
# SIGTERM (and SIGINT in the foreground) takes the mount down and ends the program with exit code 0.
. "$E2E_LIB"
needs_fuse
recording r
mkdir mnt
e2e_mounts+=(mnt)
for signal in TERM INT; do
  env --default-signal=INT "$MARK6_BIN/mark6fs" -f "r/disks/*/*" mnt & daemon=$!
  for _ in {1..200}; do ! mountpoint -q mnt || break; sleep 0.05; done
  same r.flat mnt/exp1_Xx_no0001.vdif
  kill -$signal $daemon
  timeout 10 tail -s 0.1 --pid=$daemon -f /dev/null || fail "still there 10 s after SIG$signal"
  wait $daemon || fail "exit code $? after SIG$signal"
  ! mountpoint -q mnt || fail "still mounted after SIG$signal"
done
