// SPDX-License-Identifier: MIT
// Log-linear histogram of latencies: 16 steps per power of two, so that any quantile is known
// within 6 %, in 8 KiB and without an allocation. One writer, any number of readers, no locks.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>

namespace mark6 {

class Histogram {
 public:
  /// Counts one value in ns. Only the owning thread calls it.
  void add(std::int64_t ns);

  [[nodiscard]] std::uint64_t count() const;
  /// Largest value seen, exactly.
  [[nodiscard]] std::int64_t max_ns() const { return max_ns_.load(std::memory_order_relaxed); }
  [[nodiscard]] std::int64_t sum_ns() const { return sum_ns_.load(std::memory_order_relaxed); }
  /// The value below which the fraction `q` (0..1) of the values lie (upper edge of its step, at
  /// most max_ns()); 0 without values.
  [[nodiscard]] std::int64_t quantile_ns(double q) const;

  static constexpr std::size_t kSteps = 16;
  static constexpr std::size_t kPowers = 60;
  /// Values counted in step `i` < kSteps * kPowers.
  [[nodiscard]] std::uint64_t count_in(std::size_t i) const {
    return counts_[i].load(std::memory_order_relaxed);
  }
  /// Upper edge of step `i`, in ns.
  static std::int64_t upper_edge_ns(std::size_t i);

 private:
  static std::size_t step_of(std::int64_t ns);

  std::array<std::atomic<std::uint64_t>, kSteps * kPowers> counts_{};
  std::atomic<std::int64_t> max_ns_{0};
  std::atomic<std::int64_t> sum_ns_{0};
};

}  // namespace mark6
