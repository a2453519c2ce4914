// SPDX-License-Identifier: MIT
// Reads by io_uring: one ring, used by one thread.
#pragma once

#include "common/read/read_backend.hpp"

namespace mark6 {

/// A ring with room for `depth` reads of each of `disks` disks, for the calling thread.
/// Errors: kUnsupported with the reason (sysctl, seccomp, kernel too old, no descriptors).
Result<std::unique_ptr<ReadBackend>> make_uring_backend(std::size_t disks, std::size_t depth);

}  // namespace mark6
