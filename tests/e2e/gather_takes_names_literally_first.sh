# SPDX-License-Identifier: MIT
# A name that holds brackets, a star or spaces means the scan of exactly that name; only when there
# is none is it a pattern.
. "$E2E_LIB"
export MARK6_ROOT="$PWD/r/disks/*/*"
seed=0
for scan in 'no[1].vdif' no1.vdif 'a*b.vdif' axb.vdif 'e1.2 (test)_Xx_no?.vdif'; do
  recording r --scan "$scan" --seed $((seed += 1)) --disks 3 --blocks 9
  cp r.flat "flat.$seed"
done

mark6gather 'no[1].vdif' - | cmp - flat.1
mark6gather 'no[1]' - | cmp - flat.1
mark6gather 'a*b.vdif' - | cmp - flat.3
mark6gather 'e1.2 (test)_Xx_no?.vdif' - | cmp - flat.5
mark6gather r/disks/1/*/data/'no[1].vdif' - | cmp - flat.1
mark6gather 'ax?.vdif' - | cmp - flat.4
