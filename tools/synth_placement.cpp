// SPDX-License-Identifier: MIT
#include "tools/synth_placement.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace mark6::synth {
namespace {

/// Load of a recording on healthy disks: what is written over what the disks could write. Below 1 a
/// mildly slow disk still keeps up, as in the field.
constexpr double kLoad = 0.85;
/// Spread of the time that a disk takes to write a block (sigma of its logarithm).
constexpr double kSpread = 0.35;

}  // namespace

Placer::Placer(Placement placement, const std::vector<double>& slowness, std::uint64_t seed)
    : placement_(placement), random_(mix(seed) ^ 0x706c6163655f6973ULL) {
  disks_.reserve(slowness.size());
  for (const double factor : slowness) {
    DiskLoad disk;
    disk.slowness = factor;
    disk.weight = 1 / factor;
    if (placement == Placement::kUnbalanced) {
      disk.weight /= static_cast<double>(disks_.size() + 1);
    }
    weights_ += disk.weight;
    disks_.push_back(disk);
  }
}

std::size_t Placer::next(std::uint64_t bytes) {
  switch (placement_) {
    case Placement::kRecorder:
      return as_the_recorder(bytes);
    case Placement::kRoundRobin:
      return std::exchange(turn_, (turn_ + 1) % disks_.size());
    case Placement::kRandom:
    case Placement::kUnbalanced:
      break;
  }
  return by_chance();
}

double Placer::service_time(const DiskLoad& disk) {
  // Four uniform numbers add up to something close enough to a normal distribution.
  const double sum = random_.uniform() + random_.uniform() + random_.uniform() + random_.uniform();
  const double normal = (sum - 2) * std::sqrt(3.0);
  return disk.slowness * std::exp(kSpread * normal);
}

std::size_t Placer::as_the_recorder(std::uint64_t bytes) {
  now_ += 1 / (kLoad * static_cast<double>(disks_.size()));
  const auto soonest = std::min_element(
      disks_.begin(), disks_.end(),
      [](const DiskLoad& a, const DiskLoad& b) { return a.busy_until < b.busy_until; });
  // With every disk busy the block waits in memory for the first that becomes idle.
  const double when = std::max(now_, soonest->busy_until);
  std::size_t chosen = static_cast<std::size_t>(soonest - disks_.begin());
  for (std::size_t i = 0; i < disks_.size(); ++i) {
    const bool idle = disks_[i].busy_until <= when;
    if (idle && disks_[i].bytes < disks_[chosen].bytes) chosen = i;
  }
  DiskLoad& disk = disks_[chosen];
  disk.busy_until = when + service_time(disk);
  disk.bytes += bytes;
  return chosen;
}

std::size_t Placer::by_chance() {
  double left = random_.uniform() * weights_;
  for (std::size_t i = 0; i + 1 < disks_.size(); ++i) {
    left -= disks_[i].weight;
    if (left < 0) return i;
  }
  return disks_.size() - 1;
}

}  // namespace mark6::synth
