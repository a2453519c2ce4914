# SPDX-License-Identifier: MIT
# A scan of many large blocks is opened by proof, and the places of its blocks are found while it is
# read: the same bytes by stream and mount, whole, resumed and from anywhere. Where a header in
# mid-file contradicts the proof, gather walks them all and still delivers every byte.
. "$E2E_LIB"
mark6 synth r --modules 1 --disks 3 --block-size 1100000 --blocks 250 --short-block 77 \
  --placement recorder --flat r.flat > /dev/null
export MARK6_ROOT="$PWD/r/disks/*/*"
# part FILE OFFSET COUNT: these bytes of it.
part() { dd if="$1" bs=1M iflag=skip_bytes,count_bytes skip="$2" count="$3" status=none; }
scan=$(basename "$(ls r/disks/1/0/data/*)")

mark6gather "$scan" - 2> err | cmp - r.flat
mark6gather "$scan" --skip 150000001 --bytes 44444444 - 2> err > part
part r.flat 150000001 44444444 | cmp - part
part r.flat 0 200000003 > partly
mark6gather "$scan" --append -o partly 2> err
same r.flat partly

mounted m
same r.flat "m/$scan"
part "m/$scan" 100000000 30000000 | cmp - <(part r.flat 100000000 30000000)
tail -c 12345 "m/$scan" | cmp - <(tail -c 12345 r.flat)
for at in 3 99999999 123456789 270000000 1234567; do
  part "m/$scan" "$at" 5000 | cmp - <(part r.flat "$at" 5000)
done

# The wb_size of a block in mid-file of each fragment, 8 too small; the data are where they were.
for fragment in r/disks/1/*/data/*; do
  python3 - "$fragment" << 'PYTHON'
import struct, sys
with open(sys.argv[1], "r+b") as f:
    f.seek(20)
    at = 20
    for _ in range(30):
        number, length = struct.unpack("<ii", f.read(8))
        at += length
        f.seek(at)
    f.seek(at + 4)
    f.write(struct.pack("<i", length - 8))
PYTHON
done
exits 1 mark6gather "$scan" - 2> err > whole
same r.flat whole
says err "wrong block length" "walked"

mounted walked -o index=walk
same r.flat "walked/$scan"
