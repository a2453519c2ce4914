// SPDX-License-Identifier: MIT
// Which disks share a bottleneck, found from rates alone: a disk that shares one with another gives
// more when the other rests. So a disk (or a few neighbours) is left out, and those that rise are
// of its group; two measurements per group, however many disks there are. Whoever is held up by
// nobody in particular, or has no company, is in no group. Pure: the measuring is a function.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace mark6 {

/// Bytes per second of each of `disks` when these are read together, in their order; nothing when
/// no time is left.
using MeasureRates =
    std::function<std::optional<std::vector<double>>(const std::vector<std::size_t>& disks)>;

/// Disks that together give no more than `cap_bytes_per_s`, though alone they give more.
struct SharedGroup {
  std::vector<std::size_t> disks{};
  double cap_bytes_per_s = 0;
};

struct GroupSearch {
  std::vector<SharedGroup> groups{};
  bool out_of_time = false;  ///< there may be more
};

/// Below this share of what it gives alone a disk is held up by others; below the second a set of
/// disks falls short.
inline constexpr double kHeldUp = 0.85;
inline constexpr double kShort = 0.90;

/// Looks for groups among `disks`, which gave `together` (in their order) when read all at once.
/// `alone` and `lane` are by disk: what it gives alone, and a name for the four or so disks on its
/// cable, which are looked at for themselves where a larger group might hide that they share more.
GroupSearch find_shared(const std::vector<std::size_t>& disks, const std::vector<double>& together,
                        const std::vector<double>& alone, const std::vector<std::string>& lane,
                        const MeasureRates& measure);

}  // namespace mark6
