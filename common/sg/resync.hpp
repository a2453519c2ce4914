// SPDX-License-Identifier: MIT
// The search for the next block header behind a broken one. All searches of a fragment together
// read no more than a fixed number of bytes, however often the chain is broken. Private to
// common/sg.
#pragma once

#include <cstdint>
#include <optional>

#include "common/sg/header_judge.hpp"

namespace mark6::sg {

/// All searches in one fragment together.
inline constexpr std::uint64_t kResyncTotalBytes = 4 * kResyncLimitBytes;

class Resync {
 public:
  Resync(FragmentReader& reader, HeaderJudge& judge, std::uint32_t packet_size)
      : reader_(reader), judge_(judge), packet_size_(packet_size) {}

  /// The first certain header within `search_bytes` of `from` that may follow the block numbered
  /// `before`. Up to `grid_end`, headers a whole number of packets behind `from` come before
  /// others: a payload that holds what looks like a header does not hold it there.
  std::optional<std::uint64_t> find(std::uint64_t from, std::uint64_t grid_end,
                                    std::optional<std::int32_t> before,
                                    std::uint64_t search_bytes = kResyncLimitBytes);

 private:
  /// Looks through bytes [at, at + stride); `bytes` start at `at`.
  std::optional<std::uint64_t> look_through(std::uint64_t at, Bytes bytes, std::size_t stride);
  /// What wb_size does not refuse: the position, where a certain header is there.
  std::optional<std::uint64_t> follow_up(std::uint64_t at, Bytes bytes);
  [[nodiscard]] bool on_grid(std::uint64_t at) const;

  FragmentReader& reader_;
  HeaderJudge& judge_;
  std::uint32_t packet_size_;
  std::uint64_t spent_ = 0;

  // The search under way.
  std::uint64_t from_ = 0;
  std::uint64_t grid_end_ = 0;
  std::optional<std::int32_t> before_;
  std::optional<std::uint64_t> off_grid_;  ///< first hit beside the grid
};

}  // namespace mark6::sg
