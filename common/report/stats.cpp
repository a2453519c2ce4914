// SPDX-License-Identifier: MIT
#include "common/report/stats.hpp"

#include <algorithm>

#include "common/base/clock.hpp"

namespace mark6 {
namespace {

constexpr unsigned kFirstPower = 16;
constexpr unsigned kLastPower = 35;

/// Powers of two are edges of the histogram's steps, so that these counts are exact.
LatencyFigures latency_figures(const LatencyCounts& latency) {
  LatencyFigures figures;
  figures.p50_s = latency.quantile_ns(0.5) * 1e-9;
  figures.p99_s = latency.quantile_ns(0.99) * 1e-9;
  figures.max_s = seconds(latency.max_ns());
  std::uint64_t left = latency.count();
  for (unsigned power = kFirstPower; power <= kLastPower; ++power) {
    const std::int64_t edge_ns = std::int64_t{1} << power;
    const std::uint64_t above = std::min(latency.count_above(edge_ns - 1), left);
    figures.buckets.push_back({seconds(edge_ns), left - above});
    left = above;
  }
  return figures;
}

template <class Number>
Number difference(Number now, Number before) {
  return now > before ? now - before : Number{0};
}

}  // namespace

DeviceFigures figures_of(const DeviceCounters::Snapshot& counters, const LatencyCounts& latency) {
  DeviceFigures figures;
  figures.requests = counters.requests;
  figures.bytes = counters.bytes;
  figures.cached_bytes = counters.cached_bytes;
  figures.errors = counters.errors;
  figures.retries = counters.retries;
  figures.busy_s = seconds(counters.busy_ns);
  figures.queue_s = seconds(counters.queue_integral_ns);
  figures.queue_wait_s = seconds(counters.queue_wait_ns);
  figures.latency = latency_figures(latency);
  figures.latency.sum_s = seconds(counters.latency_sum_ns);
  return figures;
}

DeviceFigures figures_since(const DeviceCounters::Snapshot& before,
                            const DeviceCounters::Snapshot& now, const LatencyCounts& latency) {
  DeviceCounters::Snapshot between = now;
  between.requests = difference(now.requests, before.requests);
  between.bytes = difference(now.bytes, before.bytes);
  between.cached_bytes = difference(now.cached_bytes, before.cached_bytes);
  between.errors = difference(now.errors, before.errors);
  between.retries = difference(now.retries, before.retries);
  between.busy_ns = difference(now.busy_ns, before.busy_ns);
  between.queue_integral_ns = difference(now.queue_integral_ns, before.queue_integral_ns);
  between.queue_wait_ns = difference(now.queue_wait_ns, before.queue_wait_ns);
  between.latency_sum_ns = difference(now.latency_sum_ns, before.latency_sum_ns);
  return figures_of(between, latency);
}

StreamStats stream_stats(std::string scan, std::uint64_t bytes, std::uint64_t total_bytes,
                         const StallLedger::Snapshot& time,
                         const std::vector<std::string>& labels) {
  StreamStats stream;
  stream.scan = std::move(scan);
  stream.bytes = bytes;
  stream.total_bytes = total_bytes;
  stream.elapsed_s = seconds(time.elapsed_ns);
  stream.sink_s = seconds(time.sink_ns);
  stream.work_s = seconds(time.work_ns);
  for (std::size_t i = 0; i < time.disk_ns.size(); ++i) {
    if (time.disk_ns[i] <= 0) continue;
    std::string label = i < labels.size() ? labels[i] : std::to_string(i);
    stream.stall_s.emplace_back(std::move(label), seconds(time.disk_ns[i]));
  }
  return stream;
}

void add_stream(StreamStats& sum, const StreamStats& stream) {
  sum.bytes += stream.bytes;
  sum.total_bytes += stream.total_bytes;
  sum.elapsed_s += stream.elapsed_s;
  sum.sink_s += stream.sink_s;
  sum.work_s += stream.work_s;
  for (const auto& stall : stream.stall_s) {
    const auto place = std::find_if(sum.stall_s.begin(), sum.stall_s.end(),
                                    [&](const auto& entry) { return entry.first == stall.first; });
    if (place == sum.stall_s.end()) {
      sum.stall_s.push_back(stall);
    } else {
      place->second += stall.second;
    }
  }
}

double stall_of(const StreamStats& stream, const std::string& label) {
  for (const auto& [disk, stall_s] : stream.stall_s) {
    if (disk == label) return stall_s;
  }
  return 0;
}

}  // namespace mark6
