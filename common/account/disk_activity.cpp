// SPDX-License-Identifier: MIT
#include "common/account/disk_activity.hpp"

#include <algorithm>

namespace mark6 {
namespace {

template <class Number>
Number difference(Number now, Number before) {
  return now > before ? now - before : Number{0};
}

double ratio(double a, double b) { return b > 0 ? a / b : 0; }

}  // namespace

DiskActivity DiskActivity::of(const DeviceCounters& counters, std::int64_t now_ns) {
  const DeviceCounters::Snapshot s = counters.snapshot(now_ns);
  DiskActivity activity;
  activity.requests = s.requests;
  activity.bytes = s.bytes;
  activity.errors = s.errors;
  activity.retries = s.retries;
  activity.in_flight = s.in_flight;
  activity.busy_ns = s.busy_ns;
  activity.queue_integral_ns = s.queue_integral_ns;
  activity.latency = LatencyCounts(counters.latency());
  return activity;
}

DiskActivity DiskActivity::since(const DiskActivity& before) const {
  DiskActivity d = *this;
  d.requests = difference(requests, before.requests);
  d.bytes = difference(bytes, before.bytes);
  d.errors = difference(errors, before.errors);
  d.retries = difference(retries, before.retries);
  d.busy_ns = difference(busy_ns, before.busy_ns);
  d.queue_integral_ns = difference(queue_integral_ns, before.queue_integral_ns);
  d.latency = latency.since(before.latency);
  d.stall_ns = difference(stall_ns, before.stall_ns);
  return d;
}

double DiskActivity::depth() const {
  return std::max(1.0, ratio(static_cast<double>(queue_integral_ns), static_cast<double>(busy_ns)));
}

double DiskActivity::service_ns() const {
  return ratio(static_cast<double>(busy_ns), static_cast<double>(requests));
}

double DiskActivity::service_quantile_ns(double q) const {
  return latency.quantile_ns(q) / depth();
}

double DiskActivity::request_bytes() const {
  return ratio(static_cast<double>(bytes), static_cast<double>(requests));
}

}  // namespace mark6
