// SPDX-License-Identifier: MIT
// Where each byte of the flat scan lies: the blocks of all fragments in block-number order. It is
// immutable once made, so any number of threads may look things up in it. Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "common/base/units.hpp"
#include "common/sg/block_grid.hpp"
#include "common/sg/fragment_walk.hpp"

namespace mark6::sg {

/// One block's payload in the flat scan and in its fragment. 24 bytes.
struct Extent {
  /// `fragment` and `at` as a place.
  static std::uint64_t place_of(FragmentIndex fragment, FileOffset at) {
    return (std::uint64_t{fragment.value} << 48) | at.value;
  }

  ScanOffset scan_offset;
  std::uint64_t place = 0;  ///< fragment in the upper 16 bits, file offset in the lower 48
  std::uint32_t length = 0;
  BlockNumber number;

  [[nodiscard]] FragmentIndex fragment() const {
    return FragmentIndex(static_cast<std::uint16_t>(place >> 48));
  }
  [[nodiscard]] FileOffset file_offset() const {
    return FileOffset(place & ((std::uint64_t{1} << 48) - 1));
  }
  [[nodiscard]] ScanOffset scan_end() const { return scan_offset + length; }
};

/// Blocks first..last, both included.
struct BlockRange {
  BlockNumber first;
  BlockNumber last;
  [[nodiscard]] std::uint64_t count() const {
    return static_cast<std::uint64_t>(last.value) - static_cast<std::uint64_t>(first.value) + 1;
  }
  bool operator==(const BlockRange&) const = default;
};

/// A block number that stands in two places; the first (in fragment order) is delivered.
struct Duplicate {
  BlockNumber number;
  FragmentIndex kept, dropped;
  FileOffset kept_at, dropped_at;  ///< of the payloads
  std::uint32_t kept_bytes = 0, dropped_bytes = 0;
};

/// Why a fragment contributes nothing, where it does not.
enum class FragmentUse { kUsed, kEmpty, kUnreadable, kDisagrees, kNotScatterGather };

/// What is known of one fragment after the merge; the blocks themselves are in the extents.
struct FragmentSummary {
  FragmentUse use = FragmentUse::kUsed;
  FragmentKind kind = FragmentKind::kUnknown;
  FileHeader header{};
  std::uint64_t file_bytes = 0;
  std::uint64_t blocks = 0;         ///< blocks delivered from it
  std::uint64_t payload_bytes = 0;  ///< bytes delivered from it
  std::vector<Damage> damage{};
  std::uint64_t damage_count = 0;
};

enum class ScanState { kComplete, kHoles, kDamaged };

/// "complete", "holes", "damaged".
std::string_view to_string(ScanState state);

class ScanIndex {
 public:
  ScanIndex() = default;

  /// Merges the fragments of one scan (their order is the order in which a duplicate is kept).
  /// Fragments whose header disagrees with the majority are left out and reported, or taken with
  /// `take_all`. A scan of exactly one plain VDIF fragment becomes one extent per 8 MiB, numbered
  /// from 0. At most 65535 fragments; those above are left out (kUnreadable).
  static ScanIndex merge(std::vector<Fragment> fragments, bool take_all = false);

  /// The index of a recording that has proven itself without a walk. `fragment_of_grid` gives for
  /// each of the grid's fragments its place among `fragments`, those without blocks left out.
  static ScanIndex from_grid(BlockGrid grid, const std::vector<std::uint64_t>& file_bytes,
                             std::vector<FragmentIndex> fragment_of_grid);

  [[nodiscard]] std::uint64_t size_bytes() const { return size_bytes_; }
  /// Blocks of the scan, in order; a plain file has parts of 8 MiB instead.
  [[nodiscard]] std::size_t block_count() const {
    return grid_ ? grid_->block_count() : extents_.size();
  }
  /// Block `i` < block_count(): number, offset and length; its place in a fragment only where there
  /// is no grid().
  [[nodiscard]] Extent block(std::size_t i) const;
  /// The block that holds `offset`; block_count() at or behind the end.
  [[nodiscard]] std::size_t find(ScanOffset offset) const;
  /// All blocks with their places; empty where there is a grid().
  [[nodiscard]] std::span<const Extent> extents() const { return extents_; }

  /// Where there is a grid, the places of blocks are found while they are read (BlockSearch).
  [[nodiscard]] const BlockGrid* grid() const { return grid_ ? &*grid_ : nullptr; }
  /// The fragment of the scan that the grid's fragment `i` is.
  [[nodiscard]] FragmentIndex fragment_of_grid(std::size_t i) const { return grid_fragments_[i]; }

  /// Numbers between the first and the last block that no fragment has, ascending.
  [[nodiscard]] const std::vector<BlockRange>& missing() const { return missing_; }
  [[nodiscard]] std::uint64_t missing_blocks() const;
  /// At most kMaxDamage of them; duplicate_count() counts all.
  [[nodiscard]] const std::vector<Duplicate>& duplicates() const { return duplicates_; }
  [[nodiscard]] std::uint64_t duplicate_count() const { return duplicate_count_; }
  [[nodiscard]] const std::vector<FragmentSummary>& fragments() const { return fragments_; }

  /// Bytes of one packet; 0 when unknown.
  [[nodiscard]] std::uint32_t packet_size() const { return packet_size_; }
  [[nodiscard]] std::uint32_t largest_extent_bytes() const { return largest_extent_bytes_; }
  /// kDamaged: anything but missing blocks is wrong; kHoles: blocks are missing; else kComplete.
  [[nodiscard]] ScanState state() const;

 private:
  /// Of extents with the same number, sorted, only the first stays.
  void drop_duplicates();
  /// Scan offsets, missing ranges and sums, once the extents are what they will be.
  void lay_out();

  std::vector<Extent> extents_;
  std::optional<BlockGrid> grid_;
  std::vector<FragmentIndex> grid_fragments_;
  std::vector<BlockRange> missing_;
  std::vector<Duplicate> duplicates_;
  std::vector<FragmentSummary> fragments_;
  std::uint64_t duplicate_count_ = 0;
  std::uint64_t size_bytes_ = 0;
  std::uint32_t packet_size_ = 0;
  std::uint32_t largest_extent_bytes_ = 0;
};

}  // namespace mark6::sg
