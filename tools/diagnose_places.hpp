// SPDX-License-Identifier: MIT
// Where on a disk `mark6 diagnose` reads: fixed places spread evenly over the disk's files in the
// order in which they were recorded, which is from the outer tracks to the inner ones. All disks
// are read alike, and no byte twice until there is nothing new, so that no drive answers from its
// own cache. Pure.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "common/catalog/catalog.hpp"

namespace mark6 {

/// The fragments on `disk` to read from, at most `at_most`: those at least half as large as its
/// largest, evenly picked in the order of their times (then names). Empty when the disk has no
/// fragment with bytes in it.
std::vector<const FragmentPath*> fragments_to_read(const Catalog& catalog, DiskIndex disk,
                                                   std::size_t at_most);

/// One read of a disk.
struct ReadPlace {
  std::size_t file = 0;      ///< place in the list of sizes
  std::uint64_t offset = 0;  ///< a multiple of kUnitBytes
  std::uint32_t length = 0;  ///< at most kUnitBytes; less only in files that are smaller than that
};

/// An endless sequence of reads: runs of 10 MiB (a recorder's block) at each of 5 places in turn,
/// each lap behind what the lap before has read.
class ReadPlaces {
 public:
  static constexpr std::uint32_t kUnitBytes = std::uint32_t{1} << 20;
  static constexpr std::uint64_t kPlaces = 5;
  static constexpr std::uint64_t kRunUnits = 10;
  static constexpr std::uint64_t kLapUnits = kPlaces * kRunUnits;

  /// Of files with so many bytes, in their order. Ends of files that fill no unit are left out,
  /// unless no file fills one.
  explicit ReadPlaces(std::span<const std::uint64_t> file_bytes);

  [[nodiscard]] bool empty() const { return units_ == 0; }
  /// How many different units there are.
  [[nodiscard]] std::uint64_t units() const { return units_; }
  /// Read number `n` of the sequence; not when empty().
  [[nodiscard]] ReadPlace at(std::uint64_t n) const;
  /// Where the next lap begins, for a read that is not to go on with the lap of `n`.
  static std::uint64_t next_lap(std::uint64_t n) {
    return (n + kLapUnits - 1) / kLapUnits * kLapUnits;
  }

 private:
  struct File {
    std::size_t file;
    std::uint64_t first_unit;
    std::uint64_t bytes;
  };
  std::vector<File> files_;
  std::uint64_t units_ = 0;
};

}  // namespace mark6
