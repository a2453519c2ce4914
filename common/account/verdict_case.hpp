// SPDX-License-Identifier: MIT
// What the rules of a verdict pass to each other: one disk of the span that is judged, and what a
// rule has found. For verdict*.cpp only.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "common/account/disk_activity.hpp"
#include "common/account/disk_comparison.hpp"
#include "common/account/verdict.hpp"

namespace mark6 {

/// With fewer nobody knows which of them is the odd one out.
inline constexpr std::size_t kPeersForSlow = 3;

struct Finding {
  Judgement judgement;
  double confidence;
  std::string text;
};

inline double share(double part, double whole) { return whole > 0 ? part / whole : 0; }

inline double share(std::uint64_t part, std::uint64_t whole) {
  return share(static_cast<double>(part), static_cast<double>(whole));
}

inline double share(std::int64_t part, std::int64_t whole) {
  return share(static_cast<double>(part), static_cast<double>(whole));
}

/// The span that is judged, and what all rules need to know of it.
struct JudgedSpan {
  std::span<const DiskActivity> disks;
  std::vector<DiskFacts> facts;
  std::int64_t elapsed_ns;
  std::int64_t stall_ns;  ///< for all disks together
};

/// One disk of the span.
struct JudgedDisk {
  const JudgedSpan& span;
  std::size_t i;
  DiskComparison with;

  [[nodiscard]] const DiskActivity& disk() const { return span.disks[i]; }
  [[nodiscard]] const DiskFacts& facts() const { return span.facts[i]; }
  [[nodiscard]] double stall_share() const { return share(disk().stall_ns, span.elapsed_ns); }
};

/// verdict_slower.cpp: whether its reads take longer than its peers'.
std::optional<Finding> slower(const JudgedDisk& c);
/// Where slower() finds nothing: why a difference all the same means nothing; empty if there is
/// none.
std::string_view why_not_comparable(const JudgedDisk& c);

}  // namespace mark6
