// SPDX-License-Identifier: MIT
// Asks the kernel what it holds of a file in memory.
#pragma once

#include <cstdint>

namespace mark6 {

/// Whether every page of the bytes [offset, offset + length) of `fd`, an open regular file, is in
/// the page cache now. False also where the kernel does not tell: before Linux 6.5 (no
/// cachestat(2)) and, in later ones, for files that this user neither owns nor may write. Asking
/// brings nothing into the cache and evicts nothing.
bool is_in_page_cache(int fd, std::uint64_t offset, std::uint64_t length);

}  // namespace mark6
