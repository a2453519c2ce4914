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

/// The time in a Mark5B frame header (16 bytes): VLBA time code, modified Julian day modulo 1000
/// and second of the day. Of the days it may mean, the last one that is not behind the file's date
/// `hint_unix_s` is taken. Nothing when the digits are not decimal or the second is not of a day.
std::optional<std::int64_t> mark5b_unix_seconds(Bytes header, std::int64_t hint_unix_s);

}  // namespace mark6
