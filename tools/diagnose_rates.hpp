// SPDX-License-Identifier: MIT
// How much less a disk gives than its peers. Under a stream that says nothing, for its disks wait
// for each other; here each disk is read as fast as it gives, so that rates can be compared. That
// helps where single reads tell little: a device that lets bytes pass in bursts answers most reads
// at once, whatever its rate. Pure.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>

namespace mark6 {

/// One disk's rate and kind.
struct DiskRate {
  double bytes_per_s = 0;  ///< 0: not measured
  std::string model{};     ///< empty: not known
};

struct RateComparison {
  std::size_t peers = 0;
  double peers_bytes_per_s = 0;  ///< their median
  double times = 0;              ///< how many times less the disk gives
  bool far = false;              ///< by more than disks of one pack differ
  bool like_its_model = false;   ///< three others of its model are as slow
};

/// Disk `i` beside the others that were measured; nothing with fewer than 3 of these.
std::optional<RateComparison> compare_rates(std::span<const DiskRate> disks, std::size_t i);

}  // namespace mark6
