# SPDX-License-Identifier: MIT
# SIGINT and SIGTERM end a stream whose reader does not read: soon, with exit 5 and a word.
. "$E2E_LIB"
recording r --packet-bytes 8032 --packets-per-block 124 --blocks 30
export MARK6_ROOT="$PWD/r/disks/*/*"
mkfifo pipe
for signal in INT TERM; do
  # shellcheck disable=SC2217  # it shall hold the pipe open and not read
  sleep 60 < pipe & sleeper=$!
  # A background process of a shell ignores SIGINT unless it is told otherwise.
  env --default-signal=INT "$MARK6_BIN/mark6gather" exp1_Xx_no0001 - > pipe 2> err & gather=$!
  sleep 0.7
  kill -$signal $gather
  code=0
  timeout 10 tail -s 0.1 --pid=$gather -f /dev/null || fail "SIG$signal does not end it"
  wait $gather || code=$?
  [ $code = 5 ] || { cat err; fail "exit code $code after SIG$signal, expected 5"; }
  [ -s err ] || fail "no word about SIG$signal"
  kill $sleeper
  wait $sleeper || true
done
