// SPDX-License-Identifier: MIT
// Finds a block number in a fragment whose numbers ascend, by interpolation: recorders deal blocks
// out nearly evenly, so two or three headers are enough. It says which header it wants next and is
// told what stands there, so that it serves readers that wait and readers that must not. Pure.
#pragma once

#include <cstdint>
#include <optional>

#include "common/base/byte_source.hpp"
#include "common/sg/block_grid.hpp"

namespace mark6::sg {

class BlockSearch {
 public:
  /// For the first block of `fragment` with a number of at least `target`.
  BlockSearch(const GridFragment& fragment, BlockNumber target);

  /// The place whose block header is wanted next; nothing when the search is over.
  [[nodiscard]] std::optional<std::uint32_t> wanted() const;
  /// The number that stands at the place wanted(). False when it contradicts the others: then the
  /// numbers do not ascend, and the search is void.
  [[nodiscard]] bool learn(BlockNumber number);

  /// Once over: the place found, fragment.blocks where all numbers are below `target`.
  [[nodiscard]] std::uint32_t place() const { return high_; }
  /// Once over: the number at place(); nothing where that is fragment.blocks.
  [[nodiscard]] std::optional<BlockNumber> number() const { return high_number_; }

 private:
  std::int64_t target_;
  std::uint32_t low_ = 0;   ///< its number is below the target
  std::uint32_t high_ = 0;  ///< its number is not
  std::int64_t low_number_ = 0;
  std::optional<BlockNumber> high_number_;
  unsigned steps_ = 0;
};

/// The place of block `number` in `fragment`, read from `source`; nothing when it is not there.
/// Errors: kIo, kBadFormat (the numbers do not ascend).
Result<std::optional<std::uint32_t>> find_block(ByteSource& source, const GridFragment& fragment,
                                                BlockNumber number);

}  // namespace mark6::sg
