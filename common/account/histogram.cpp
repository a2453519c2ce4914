// SPDX-License-Identifier: MIT
#include "common/account/histogram.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

namespace mark6 {
namespace {

constexpr auto kRelaxed = std::memory_order_relaxed;
constexpr unsigned kStepBits = 4;  // kSteps = 2^kStepBits

/// Only one thread writes: a plain load and store is an increment.
template <class T>
void add_to(std::atomic<T>& counter, T amount) {
  counter.store(counter.load(kRelaxed) + amount, kRelaxed);
}

}  // namespace

std::size_t Histogram::step_of(std::int64_t ns) {
  const auto value = static_cast<std::uint64_t>(std::max<std::int64_t>(ns, 0));
  if (value < kSteps) return value;
  const auto power = static_cast<unsigned>(std::bit_width(value)) - 1;
  const std::uint64_t step = (value >> (power - kStepBits)) & (kSteps - 1);
  return std::min((power - kStepBits + 1) * kSteps + step, kSteps * kPowers - 1);
}

std::int64_t Histogram::upper_edge_ns(std::size_t i) {
  if (i < kSteps) return static_cast<std::int64_t>(i);
  const std::size_t shift = i / kSteps - 1;
  return static_cast<std::int64_t>(((kSteps + i % kSteps + 1) << shift) - 1);
}

void Histogram::add(std::int64_t ns) {
  add_to<std::uint64_t>(counts_[step_of(ns)], 1);
  add_to(sum_ns_, ns);
  if (ns > max_ns_.load(kRelaxed)) max_ns_.store(ns, kRelaxed);
}

std::uint64_t Histogram::count() const {
  std::uint64_t total = 0;
  for (const auto& step : counts_) total += step.load(kRelaxed);
  return total;
}

std::int64_t Histogram::quantile_ns(double q) const {
  const std::uint64_t total = count();
  if (total == 0) return 0;
  const auto wanted = static_cast<std::uint64_t>(std::ceil(q * static_cast<double>(total)));
  std::uint64_t seen = 0;
  for (std::size_t i = 0; i < counts_.size(); ++i) {
    seen += counts_[i].load(kRelaxed);
    if (seen >= std::max<std::uint64_t>(wanted, 1)) return std::min(upper_edge_ns(i), max_ns());
  }
  return max_ns();
}

}  // namespace mark6
