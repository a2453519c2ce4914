// SPDX-License-Identifier: MIT
// A copy of a latency histogram at one instant. The difference of two copies is the histogram of
// the interval between them, which the quantiles of a running Histogram cannot tell. A plain value.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "common/account/histogram.hpp"

namespace mark6 {

class LatencyCounts {
 public:
  LatencyCounts() = default;
  /// What `histogram` holds now; values that are being added may be missed.
  explicit LatencyCounts(const Histogram& histogram);

  /// What was added since `before` was copied from the same histogram. Its max_ns() is exact when
  /// the interval holds the largest value of all, else the upper edge of the highest step in use.
  [[nodiscard]] LatencyCounts since(const LatencyCounts& before) const;

  [[nodiscard]] std::uint64_t count() const { return count_; }
  [[nodiscard]] std::int64_t max_ns() const { return max_ns_; }
  /// The value below which the fraction `q` (0..1) of the values lie, interpolated within its step;
  /// 0 without values.
  [[nodiscard]] double quantile_ns(double q) const;
  /// How many values lie above `ns`, to the width of a step (6 %): those of its own step are not
  /// counted.
  [[nodiscard]] std::uint64_t count_above(std::int64_t ns) const;

 private:
  std::array<std::uint64_t, Histogram::kSteps * Histogram::kPowers> counts_{};
  std::uint64_t count_ = 0;
  std::int64_t max_ns_ = 0;
};

}  // namespace mark6
