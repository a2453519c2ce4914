// SPDX-License-Identifier: MIT
// The table of low-level operations that libfuse calls, and nothing else: each answers at once from
// memory or parks its request. No operation waits for a disk.
#pragma once

#include <fuse_lowlevel.h>

namespace mark6 {

/// The operations; libfuse's user data must be a Service.
fuse_lowlevel_ops fuse_operations();

}  // namespace mark6
