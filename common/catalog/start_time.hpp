// SPDX-License-Identifier: MIT
// When a scan begins: the time in its first valid frame. The recorder puts fill packets without a
// time in front of, and between, the frames of a stream (format.md, section 1), so the very first
// frame does not always tell.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>

#include "common/base/byte_source.hpp"
#include "common/sg/scan_index.hpp"

namespace mark6 {

struct StartTime {
  std::optional<std::int64_t> unix_s;  ///< s since 1970 UTC; absent when no frame tells
  bool is_mark5b = false;
};

/// How far the search goes: with nothing but fill packets so far there is no use in more.
inline constexpr std::size_t kMaxStartBlocks = 2;
inline constexpr std::size_t kMaxStartPackets = 4096;

/// The bytes of a fragment, or nullptr where its file could not be opened.
using FragmentSource = std::function<ByteSource*(FragmentIndex)>;
/// The date of a fragment's file, s since 1970 UTC: resolves what the time code leaves open.
using FragmentDate = std::function<std::int64_t(FragmentIndex)>;

/// Looks at the packets of the first blocks of `index` until one is valid.
StartTime find_start(const sg::ScanIndex& index, const FragmentSource& source,
                     const FragmentDate& date);

}  // namespace mark6
