// SPDX-License-Identifier: MIT
#include "tools/diagnose_rates.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "common/account/disk_comparison.hpp"

namespace mark6 {
namespace {

constexpr std::size_t kLeastPeers = 3;
/// Disks that differ by 20 % either way reach 1.25 against their median; packs that differ by more
/// are given so many spreads.
constexpr double kFarTimes = 1.5;
constexpr double kFarSpreads = 2.5;
/// Within this a disk is like the others of its model.
constexpr double kAlikeTimes = 1.3;
constexpr double kMadToSigma = 1.4826;

std::vector<double> rates_of_others(std::span<const DiskRate> disks, std::size_t i,
                                    bool same_model) {
  std::vector<double> rates;
  for (std::size_t j = 0; j < disks.size(); ++j) {
    if (j == i || disks[j].bytes_per_s <= 0) continue;
    if (!same_model || disks[j].model == disks[i].model) rates.push_back(disks[j].bytes_per_s);
  }
  return rates;
}

/// Of their logarithms, like a standard deviation, within the limits that verdicts use.
double spread_of(const std::vector<double>& rates) {
  const double middle = median(rates);
  std::vector<double> deviations;
  deviations.reserve(rates.size());
  for (const double rate : rates) deviations.push_back(std::abs(std::log(rate / middle)));
  return std::clamp(kMadToSigma * median(std::move(deviations)), DiskComparison::kLeastSpread,
                    DiskComparison::kMostSpread);
}

}  // namespace

std::optional<RateComparison> compare_rates(std::span<const DiskRate> disks, std::size_t i) {
  const std::vector<double> others = rates_of_others(disks, i, false);
  const double own = disks[i].bytes_per_s;
  if (own <= 0 || others.size() < kLeastPeers) return std::nullopt;
  RateComparison found{.peers = others.size(), .peers_bytes_per_s = median(others)};
  found.times = found.peers_bytes_per_s / own;
  found.far = found.times >= std::max(kFarTimes, std::exp(kFarSpreads * spread_of(others)));
  const std::vector<double> same = rates_of_others(disks, i, true);
  found.like_its_model = !disks[i].model.empty() && same.size() >= kLeastPeers &&
                         same.size() < others.size() && median(same) < kAlikeTimes * own;
  return found;
}

}  // namespace mark6
