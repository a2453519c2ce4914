// SPDX-License-Identifier: MIT
// Which disk gets the next block. The recorder's way is simulated: blocks come at a steady rate and
// each goes to the idle disk with the fewest bytes, so that order is nearly, not quite, round robin
// and a disk that was slow while recording ends up with fewer blocks than its peers.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "tools/synth_options.hpp"
#include "tools/synth_random.hpp"

namespace mark6::synth {

class Placer {
 public:
  /// `slowness`: for each disk the factor by which it is slower than its peers (1: it is not).
  Placer(Placement placement, const std::vector<double>& slowness, std::uint64_t seed);

  /// The place in `slowness` of the disk that gets the next block, of `bytes` bytes.
  std::size_t next(std::uint64_t bytes);

 private:
  struct DiskLoad {
    double slowness = 1;
    double weight = 1;      ///< share of the blocks where chance decides
    double busy_until = 0;  ///< in units of the time in which a healthy disk writes a full block
    std::uint64_t bytes = 0;
  };

  std::size_t as_the_recorder(std::uint64_t bytes);
  std::size_t by_chance();
  double service_time(const DiskLoad& disk);

  Placement placement_;
  std::vector<DiskLoad> disks_;
  Random random_;
  double now_ = 0;
  double weights_ = 0;
  std::size_t turn_ = 0;
};

}  // namespace mark6::synth
