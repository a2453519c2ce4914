// SPDX-License-Identifier: MIT
// What one disk did over a span of time, as plain numbers: since a stream began, or between two
// looks at its counters. What verdicts are made from.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "common/account/device_counters.hpp"
#include "common/account/latency_counts.hpp"

namespace mark6 {

struct DiskActivity {
  std::string disk{};   ///< "2/5": module and disk
  std::string model{};  ///< of its device; empty when unknown

  std::uint64_t requests = 0;  ///< finished, good or bad
  std::uint64_t bytes = 0;
  std::uint64_t errors = 0;
  std::uint64_t retries = 0;
  std::uint32_t in_flight = 0;         ///< at the end of the span
  std::int64_t busy_ns = 0;            ///< time with a request in flight
  std::int64_t queue_integral_ns = 0;  ///< integral of the number in flight over time
  /// Latencies of the requests. Empty where only sums are known (the kernel's diskstats): verdicts
  /// are weaker then.
  LatencyCounts latency{};

  std::int64_t stall_ns = 0;  ///< streams stood still for it (StallLedger), summed over streams
  std::optional<std::uint64_t> blocks{};  ///< of the scans being read, how many lie on it

  /// The counters since they began; names, stall time and blocks are the caller's to fill in.
  static DiskActivity of(const DeviceCounters& counters, std::int64_t now_ns);
  /// What came on top of `before`, an earlier look at the same disk. Names, blocks and what is in
  /// flight are those of now. Fields that seem to have gone backwards count as 0.
  [[nodiscard]] DiskActivity since(const DiskActivity& before) const;

  /// Mean number in flight while busy, 1 or more.
  [[nodiscard]] double depth() const;
  /// Mean time that one request keeps the disk busy, in ns, however many are in flight; 0 without
  /// requests.
  [[nodiscard]] double service_ns() const;
  /// The time that a request keeps the disk busy, below which the fraction `q` of them lie: the
  /// quantile of the latency over the depth. 0 without latencies.
  [[nodiscard]] double service_quantile_ns(double q) const;
  /// Mean bytes of a request.
  [[nodiscard]] double request_bytes() const;
};

}  // namespace mark6
