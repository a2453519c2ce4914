# SPDX-License-Identifier: MIT
# The soak (tests/soak.sh) for a minute: readers and streams while fragments come and go and mounts
# are killed. No wrong bytes, no hangs, no leaks.
. "$E2E_LIB"
needs_fuse
SOAK_SECONDS=60 python3 "$E2E_SUPPORT/../soak/soak.py"
