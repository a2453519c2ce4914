// SPDX-License-Identifier: MIT
#include "common/account/latency_counts.hpp"

#include <algorithm>

namespace mark6 {
namespace {

std::int64_t lower_edge_ns(std::size_t step) {
  return step == 0 ? 0 : Histogram::upper_edge_ns(step - 1) + 1;
}

}  // namespace

LatencyCounts::LatencyCounts(const Histogram& histogram) : max_ns_(histogram.max_ns()) {
  for (std::size_t i = 0; i < counts_.size(); ++i) {
    counts_[i] = histogram.count_in(i);
    count_ += counts_[i];
  }
}

LatencyCounts LatencyCounts::since(const LatencyCounts& before) const {
  LatencyCounts interval;
  for (std::size_t i = 0; i < counts_.size(); ++i) {
    interval.counts_[i] = counts_[i] - std::min(counts_[i], before.counts_[i]);
    interval.count_ += interval.counts_[i];
    if (interval.counts_[i] > 0) {
      interval.max_ns_ = std::min(Histogram::upper_edge_ns(i), max_ns_);
    }
  }
  return interval;
}

double LatencyCounts::quantile_ns(double q) const {
  if (count_ == 0) return 0;
  const double wanted = std::clamp(q, 0.0, 1.0) * static_cast<double>(count_);
  double seen = 0;
  for (std::size_t i = 0; i < counts_.size(); ++i) {
    if (counts_[i] == 0) continue;
    const auto here = static_cast<double>(counts_[i]);
    if (seen + here >= wanted) {
      const auto low = static_cast<double>(lower_edge_ns(i));
      const auto high = static_cast<double>(std::min(Histogram::upper_edge_ns(i), max_ns_));
      return low + std::max(high - low, 0.0) * (wanted - seen) / here;
    }
    seen += here;
  }
  return static_cast<double>(max_ns_);
}

std::uint64_t LatencyCounts::count_above(std::int64_t ns) const {
  std::uint64_t above = 0;
  for (std::size_t i = counts_.size(); i-- > 0 && lower_edge_ns(i) > ns;) above += counts_[i];
  return above;
}

}  // namespace mark6
