// SPDX-License-Identifier: MIT
// A second opinion on healthy fragments: the blocks by wb_size alone, one behind the other, or
// nothing where the least is not as it should be. Knows nothing of common/sg but its types.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "common/base/bytes.hpp"
#include "common/sg/fragment_walk.hpp"

namespace mark6::fuzz {

/// The blocks of a version 2 fragment in file order.
inline std::optional<std::vector<sg::BlockPlace>> naive_walk(Bytes file) {
  const auto word = [&](std::uint64_t at) { return std::int64_t{*load_le_i32(file, at)}; };
  if (file.size() < 28 || load_le32(file, 0) != 0xfeed6666U || word(4) != 2) return std::nullopt;
  const std::int64_t full = word(8) - 8;
  const std::int64_t packet = word(16);
  if (packet <= 0 || full <= packet || full % packet != 0 || full > 1 << 29) return std::nullopt;
  std::vector<sg::BlockPlace> blocks;
  std::int64_t before = -1;
  for (std::uint64_t at = 20; at < file.size();) {
    if (file.size() - at < 8) return std::nullopt;
    const std::int64_t number = word(at);
    const std::int64_t payload = word(at + 4) - 8;
    const bool ascends = number > before && (blocks.empty() || number - before <= 1 << 20);
    if (!ascends || payload <= 0 || payload > full || payload % packet != 0) return std::nullopt;
    at += 8;
    blocks.push_back({.payload_offset = FileOffset(at),
                      .payload_bytes = static_cast<std::uint32_t>(payload),
                      .number = BlockNumber(static_cast<std::int32_t>(number))});
    if (static_cast<std::uint64_t>(payload) > file.size() - at) return std::nullopt;
    at += static_cast<std::uint64_t>(payload);
    before = number;
  }
  return blocks;
}

}  // namespace mark6::fuzz
