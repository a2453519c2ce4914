// SPDX-License-Identifier: MIT
// Which block comes next in each fragment of a scan whose index is a grid: one cursor per fragment,
// moved on as blocks are read, because the header of a fragment's next block comes with the block
// before it. Pure bookkeeping: the stream's mutex guards it, the stream does the reading.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "common/sg/scan_index.hpp"

namespace mark6 {

class GridPlacer {
 public:
  /// For an index with a grid(); it outlives the placer.
  explicit GridPlacer(const sg::ScanIndex& index);

  /// Puts all cursors to the first block of their fragment that is not before `block` of the scan.
  /// Where that takes a search, needs_search() says so; earlier searches are void.
  void seek(std::size_t block);
  /// Tells the searches for one seek from those for another.
  [[nodiscard]] std::uint64_t generation() const { return generation_; }

  [[nodiscard]] std::size_t fragments() const { return cursors_.size(); }
  [[nodiscard]] bool needs_search(std::size_t fragment) const {
    return cursors_[fragment].state == State::kWanted;
  }
  /// The number that the search in `fragment` is for; from now on it is under way.
  BlockNumber begin_search(std::size_t fragment);
  /// A search of this generation is over: `place` holds `number`; no number: no block is left.
  void found(std::size_t fragment, std::uint32_t place, std::optional<BlockNumber> number);

  /// The block of the scan at the cursor of `fragment`, where known.
  [[nodiscard]] std::optional<std::size_t> block(std::size_t fragment) const;
  /// That block with its place.
  [[nodiscard]] sg::Extent extent(std::size_t fragment) const;
  /// Whether another block follows it in its fragment.
  [[nodiscard]] bool has_next(std::size_t fragment) const;
  [[nodiscard]] std::uint32_t place(std::size_t fragment) const { return cursors_[fragment].place; }

  /// The block at `place` was read, and `header` stands behind it: moves the cursor on if it is
  /// there. False when the header cannot be what the grid promises.
  [[nodiscard]] bool learn_next(std::size_t fragment, std::uint32_t place,
                                std::optional<sg::BlockHeader> header);
  /// The block at the cursor was read (or passed) but not what stands behind it: the first block
  /// of the fragment not before `next_block` of the scan is to be searched.
  void lose(std::size_t fragment, std::size_t next_block);

  /// Whether some cursor may still come to `block`. If not, the grid was no true picture.
  [[nodiscard]] bool may_come_to(std::size_t block) const;

 private:
  enum class State { kWanted, kSearching, kKnown, kExhausted };
  struct Cursor {
    State state = State::kWanted;
    std::uint32_t place = 0;
    BlockNumber number;  ///< kKnown: at `place`; kWanted: the search is for this number
  };

  const sg::ScanIndex& index_;
  const sg::BlockGrid& grid_;
  std::vector<Cursor> cursors_;
  std::uint64_t generation_ = 0;
};

}  // namespace mark6
