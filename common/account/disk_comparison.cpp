// SPDX-License-Identifier: MIT
#include "common/account/disk_comparison.hpp"

#include <algorithm>
#include <cmath>

namespace mark6 {
namespace {

/// Evidence: so many requests; or fewer that together kept the disk busy for so long, since a very
/// slow disk has no more to show.
constexpr std::uint64_t kEnoughRequests = 20;
constexpr std::uint64_t kFewRequests = 4;
constexpr std::int64_t kEnoughBusyNs = 20'000'000;
constexpr std::int64_t kLongBusyNs = 2'000'000'000;

/// Requests are alike when their mean sizes differ by no more than this.
constexpr double kAlike = 1.5;
/// Above this the time of a read is transfer and grows with its size; below, it is seeking.
constexpr double kTransferBytes = 128 * 1024;

/// What a throttled device saves up at most (blk-throttle's slice), once per block as recorders
/// write them.
constexpr double kCreditNs = 100e6;
constexpr double kBlockBytes = 10e6;

/// A median absolute deviation is so many times smaller than a standard deviation.
constexpr double kMadToSigma = 1.4826;

double ratio(double a, double b) { return b > 0 ? a / b : 0; }

bool enough(const DiskActivity& disk) {
  return (disk.requests >= kEnoughRequests && disk.busy_ns >= kEnoughBusyNs) ||
         (disk.requests >= kFewRequests && disk.busy_ns >= kLongBusyNs);
}

bool alike(const DiskFacts& a, const DiskFacts& b) {
  return a.request_bytes <= kAlike * b.request_bytes && b.request_bytes <= kAlike * a.request_bytes;
}

/// What a time of the peer's would be for requests of the disk's size.
double to_size_of(const DiskFacts& disk, const DiskFacts& peer) {
  const bool transfer = std::min(disk.request_bytes, peer.request_bytes) >= kTransferBytes;
  return transfer ? ratio(disk.request_bytes, peer.request_bytes) : 1;
}

/// Spread of the logarithms of `values` about their median, within its limits.
double spread_of(const std::vector<double>& values) {
  const double middle = median(values);
  std::vector<double> deviations;
  for (const double value : values) {
    if (value > 0 && middle > 0) deviations.push_back(std::abs(std::log(value / middle)));
  }
  return std::clamp(kMadToSigma * median(std::move(deviations)), DiskComparison::kLeastSpread,
                    DiskComparison::kMostSpread);
}

}  // namespace

double median(std::vector<double> values) {
  if (values.empty()) return 0;
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  if (values.size() % 2 == 1) return *middle;
  return (*middle + *std::max_element(values.begin(), middle)) / 2;
}

std::vector<DiskFacts> facts_of(std::span<const DiskActivity> disks) {
  std::vector<DiskFacts> all;
  all.reserve(disks.size());
  for (const DiskActivity& disk : disks) {
    DiskFacts facts;
    facts.enough = enough(disk);
    facts.request_bytes = disk.request_bytes();
    facts.mean_ns = disk.service_ns();
    facts.has_latency = disk.latency.count() > 0;
    facts.p10_ns = disk.service_quantile_ns(0.1);
    facts.p50_ns = disk.service_quantile_ns(0.5);
    facts.p75_ns = disk.service_quantile_ns(0.75);
    facts.p99_ns = disk.service_quantile_ns(0.99);
    facts.max_ns = static_cast<double>(disk.latency.max_ns());
    all.push_back(facts);
  }
  return all;
}

DiskComparison compare(std::span<const DiskFacts> facts, std::size_t i,
                       const std::vector<bool>& among) {
  const DiskFacts& own = facts[i];
  std::vector<double> means, p75s, p99s, maxima, rates, evenness;
  for (std::size_t j = 0; j < facts.size(); ++j) {
    const DiskFacts& peer = facts[j];
    if (j == i || !among[j] || !peer.enough || !alike(own, peer)) continue;
    const double scale = to_size_of(own, peer);
    means.push_back(scale * peer.mean_ns);
    rates.push_back(ratio(1e9 * peer.request_bytes, peer.mean_ns));
    if (!peer.has_latency) continue;
    p75s.push_back(scale * peer.p75_ns);
    p99s.push_back(scale * peer.p99_ns);
    maxima.push_back(peer.max_ns);
    evenness.push_back(ratio(peer.p10_ns, peer.mean_ns));
  }
  DiskComparison with;
  with.peers = means.size();
  with.mean_ns = median(means);
  with.p75_ns = median(std::move(p75s));
  with.p99_ns = median(std::move(p99s));
  with.max_ns = median(std::move(maxima));
  with.bytes_per_busy_s = median(std::move(rates));
  with.evenness = median(std::move(evenness));
  const double credit_ns = kCreditNs * std::min(own.request_bytes / kBlockBytes, 1.0);
  with.times_mean = ratio(own.mean_ns, with.mean_ns);
  with.times_p75 = ratio(own.p75_ns, with.p75_ns);
  with.times_beyond_credit = ratio(own.mean_ns, with.mean_ns + credit_ns);
  with.p50_to_their_p99 = ratio(own.p50_ns, with.p99_ns);
  with.spread = spread_of(means);
  return with;
}

}  // namespace mark6
