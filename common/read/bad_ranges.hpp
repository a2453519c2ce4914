// SPDX-License-Identifier: MIT
// Which bytes of a read cannot be had. When a disk says that a read has failed, it is taken apart
// until only the sectors are lost that the disk cannot give: pieces are halved where they fail, and
// doubled again where they come. In order, one piece at a time, because a disk that struggles is
// not to be given more work.
#pragma once

#include <cstdint>
#include <vector>

namespace mark6 {

/// [begin, end), in bytes from the beginning of a read.
struct BadRange {
  std::uint32_t begin = 0;
  std::uint32_t end = 0;
  bool operator==(const BadRange&) const = default;
};

class BadRanges {
 public:
  /// Pieces that may fail before all the rest is given up: a disk repeats a bad sector for seconds.
  static constexpr std::uint32_t kMaxFailures = 128;
  /// The least piece, where the file system allows for it: a sector of today's disks.
  static constexpr std::uint32_t kSectorBytes = 4096;

  /// Nothing is known to be bad.
  void clear();
  [[nodiscard]] const std::vector<BadRange>& ranges() const { return ranges_; }
  /// Whether a read is being taken apart.
  [[nodiscard]] bool narrowing() const { return piece_ != 0; }
  /// How much to ask for next, where `rest` bytes are left to be read.
  [[nodiscard]] std::uint32_t piece(std::uint32_t rest) const;

  /// `length` bytes at `begin` came.
  void came(std::uint32_t length);
  /// `length` bytes at `begin` did not, and `end` is where the read ends. Sectors are `sector`
  /// bytes. Returns where to go on: `begin`, or behind what has been given up.
  std::uint32_t failed(std::uint32_t begin, std::uint32_t length, std::uint32_t end,
                       std::uint32_t sector);
  /// Gives [begin, end) up.
  void give_up(std::uint32_t begin, std::uint32_t end);

 private:
  std::vector<BadRange> ranges_;  ///< ascending, with gaps between
  std::uint32_t piece_ = 0;       ///< 0: not narrowing
  std::uint32_t failures_ = 0;
};

/// Whether a read that failed so may come in part: the disk speaks of sectors, not of itself.
[[nodiscard]] bool may_be_narrowed(int error);

}  // namespace mark6
