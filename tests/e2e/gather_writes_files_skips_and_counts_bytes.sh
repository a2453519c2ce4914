# SPDX-License-Identifier: MIT
# -o names the output; --skip and --bytes cut the stream as tail and head would.
. "$E2E_LIB"
recording r --packet-bytes 5032 --blocks 30
export MARK6_ROOT="$PWD/r/disks/*/*"
scan=exp1_Xx_no0001
size=$(stat -c %s r.flat)

mark6gather $scan -o whole
same r.flat whole
mark6gather -o first_option $scan
same r.flat first_option
mark6gather r/disks/*/*/data/$scan.vdif -o of_fragments
same r.flat of_fragments
for skip in 0 1 4095 50320 50321 777777 $((size - 1)) "$size"; do
  mark6gather --skip "$skip" $scan - | cmp - <(tail -c +$((skip + 1)) r.flat)
  for bytes in 0 1 50319 123456; do
    mark6gather --skip "$skip" --bytes $bytes $scan - |
      cmp - <(tail -c +$((skip + 1)) r.flat | head -c $bytes || true)
  done
done
mark6gather --skip 100 --bytes 200000 $scan -o part
same <(tail -c +101 r.flat | head -c 200000 || true) part
