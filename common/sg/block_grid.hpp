// SPDX-License-Identifier: MIT
// The instant index of a healthy recording: its blocks lie on a grid, so a few headers of each
// fragment prove where every block stands and how long the scan is, without a walk. Which fragment
// holds which number is found when it is needed (a reader learns the next header with each block).
// What does not add up proves nothing, and gets the full walk (fragment_walk.hpp). Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "common/base/byte_source.hpp"
#include "common/sg/format.hpp"

namespace mark6::sg {

/// A block that is shorter than the others.
struct ShortBlock {
  std::uint32_t place = 0;  ///< how many blocks of its fragment stand before it
  BlockNumber number;
  std::uint32_t payload_bytes = 0;
};

/// A fragment of full blocks, but for a few short ones that are known. Its numbers ascend.
struct GridFragment {
  FileHeader header{};
  std::uint64_t file_bytes = 0;
  std::uint32_t full_payload_bytes = 0;
  std::uint32_t blocks = 0;
  BlockNumber first;
  BlockNumber last;
  std::vector<ShortBlock> shorts{};  ///< by place

  /// First byte behind the header of the block at `place`.
  [[nodiscard]] FileOffset payload_offset(std::uint32_t place) const;
  [[nodiscard]] std::uint32_t payload_bytes(std::uint32_t place) const;
};

/// Below these the full walk is quick and finds all damage; so it is always made.
inline constexpr std::uint32_t kMinGridBlocks = 64;
inline constexpr std::uint32_t kMinGridBlockBytes = std::uint32_t{1} << 20;
/// Short blocks that a search may find in one fragment before it gives up.
inline constexpr std::size_t kMaxShortBlocks = 8;

/// Whether `source` is large enough for a grid to be worth a proof: for blocks of `block_size`
/// (header field) at least kMinGridBlockBytes, at least kMinGridBlocks of them.
bool worth_a_grid(const FileHeader& header, std::uint64_t file_bytes);

/// Reads the first header, the one where the last block must begin, and, where short blocks stand
/// in between, those of a bisection: 2 reads, and log2(blocks) more for each short block. Nothing
/// when the fragment is not such a grid (or not worth_a_grid, or not version 2).
std::optional<GridFragment> probe_grid(ByteSource& source);

/// All fragments of one recording, proven to hold each number from the first to the last once.
class BlockGrid {
 public:
  /// Nothing when the fragments disagree, or when their blocks are not as many as the numbers.
  static std::optional<BlockGrid> prove(std::vector<GridFragment> fragments);

  [[nodiscard]] const std::vector<GridFragment>& fragments() const { return fragments_; }
  [[nodiscard]] std::uint64_t size_bytes() const { return offset_of(count_).value; }
  [[nodiscard]] std::size_t block_count() const { return count_; }
  [[nodiscard]] BlockNumber first() const { return first_; }
  [[nodiscard]] std::uint32_t full_payload_bytes() const { return payload_bytes_; }

  /// Block `i` of the scan (number first() + i): where it begins in the scan, and its length.
  [[nodiscard]] ScanOffset offset_of(std::size_t i) const;
  [[nodiscard]] std::uint32_t length_of(std::size_t i) const;
  [[nodiscard]] BlockNumber number_of(std::size_t i) const {
    return BlockNumber(first_.value + static_cast<std::int32_t>(i));
  }
  /// The block that holds `offset`; block_count() at or behind the end.
  [[nodiscard]] std::size_t find(ScanOffset offset) const;

 private:
  /// A short block by its place in the scan, and the bytes that the scan lacks up to its end.
  struct Shortfall {
    std::size_t block;
    std::uint32_t payload_bytes;
    std::uint64_t lacking_bytes;
  };

  std::vector<GridFragment> fragments_;
  std::vector<Shortfall> shorts_;  ///< by block
  std::uint32_t payload_bytes_ = 0;
  std::size_t count_ = 0;
  BlockNumber first_;
};

}  // namespace mark6::sg
