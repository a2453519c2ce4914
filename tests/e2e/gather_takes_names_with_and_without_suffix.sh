# SPDX-License-Identifier: MIT
# ".vdif" may be left out or added; when both files exist, each name means exactly itself.
. "$E2E_LIB"
recording r --scan a_Xx_1.vdif --seed 1
cp r.flat suffixed
recording r --scan b_Xx_2 --seed 2
cp r.flat bare
export MARK6_ROOT="$PWD/r/disks/*/*"

for name in a_Xx_1.vdif a_Xx_1; do mark6gather "$name" - | cmp - suffixed; done
for name in b_Xx_2 b_Xx_2.vdif; do mark6gather "$name" - | cmp - bare; done

recording r --scan a_Xx_1 --seed 3
mark6gather a_Xx_1 - | cmp - r.flat
mark6gather a_Xx_1.vdif - | cmp - suffixed
