// SPDX-License-Identifier: MIT
#include "common/account/recorder_share.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "common/account/disk_comparison.hpp"
#include "common/account/verdict_words.hpp"

namespace mark6 {
namespace {

constexpr std::size_t kLeastPeers = 3;
/// Of what its peers got, and no more.
constexpr double kFarFewer = 0.75;
/// Blocks placed at random scatter like counts (standard deviation: root of the mean), others as
/// their spread shows; a deficit stands out beyond so many of either.
constexpr double kDeviations = 4;

}  // namespace

void add_recorder_share(std::span<const DiskActivity> disks, std::size_t i, DiskVerdict& verdict) {
  std::vector<double> blocks, deviations;
  for (std::size_t j = 0; j < disks.size(); ++j) {
    if (j != i && disks[j].blocks) blocks.push_back(static_cast<double>(*disks[j].blocks));
  }
  if (blocks.size() < kLeastPeers || !disks[i].blocks) return;
  const double typical = median(blocks);
  for (const double count : blocks) deviations.push_back(std::abs(count - typical));
  const double scatter = std::max(std::sqrt(typical), 1.4826 * median(std::move(deviations)));
  const auto own = static_cast<double>(*disks[i].blocks);
  if (own > kFarFewer * typical || typical - own < kDeviations * scatter) return;
  verdict.slow_while_recording = true;
  verdict.recording =
      fmt::format("was slow while recording: {} blocks, the other {} {:.0f} each ({})",
                  *disks[i].blocks, disks_text(blocks.size()), typical, times_text(own / typical));
}

}  // namespace mark6
