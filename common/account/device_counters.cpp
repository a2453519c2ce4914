// SPDX-License-Identifier: MIT
#include "common/account/device_counters.hpp"

namespace mark6 {
namespace {

constexpr auto kRelaxed = std::memory_order_relaxed;

/// Only the reaper writes: a plain load and store is an increment.
template <class T>
void add_to(std::atomic<T>& counter, T amount) {
  counter.store(counter.load(kRelaxed) + amount, kRelaxed);
}

}  // namespace

void DeviceCounters::advance(std::int64_t now_ns) {
  const std::int64_t passed = now_ns - last_change_ns_.load(kRelaxed);
  const std::uint32_t in_flight = in_flight_.load(kRelaxed);
  if (in_flight > 0) {
    add_to(busy_ns_, passed);
    add_to(queue_integral_ns_, passed * in_flight);
  }
  last_change_ns_.store(now_ns, kRelaxed);
}

void DeviceCounters::issued(std::int64_t now_ns, std::int64_t queued_ns) {
  advance(now_ns);
  add_to(in_flight_, 1U);
  add_to(queue_wait_ns_, now_ns - queued_ns);
}

void DeviceCounters::finished(std::int64_t now_ns, std::int64_t issued_ns, std::uint64_t bytes,
                              bool error) {
  advance(now_ns);
  in_flight_.store(in_flight_.load(kRelaxed) - 1, kRelaxed);
  add_to<std::uint64_t>(requests_, 1);
  add_to(bytes_, bytes);
  if (error) add_to<std::uint64_t>(errors_, 1);
  latency_.add(now_ns - issued_ns);
}

void DeviceCounters::found_in_cache(std::uint64_t bytes) { add_to(cached_bytes_, bytes); }

void DeviceCounters::retried() { add_to<std::uint64_t>(retries_, 1); }

void DeviceCounters::hung_since(std::int64_t since_ns) { hung_since_ns_.store(since_ns, kRelaxed); }

DeviceCounters::Snapshot DeviceCounters::snapshot(std::int64_t now_ns) const {
  Snapshot s;
  s.requests = requests_.load(kRelaxed);
  s.bytes = bytes_.load(kRelaxed);
  s.cached_bytes = cached_bytes_.load(kRelaxed);
  s.errors = errors_.load(kRelaxed);
  s.retries = retries_.load(kRelaxed);
  s.in_flight = in_flight_.load(kRelaxed);
  s.busy_ns = busy_ns_.load(kRelaxed);
  s.queue_integral_ns = queue_integral_ns_.load(kRelaxed);
  const std::int64_t since = now_ns - last_change_ns_.load(kRelaxed);
  if (s.in_flight > 0 && since > 0) {
    s.busy_ns += since;
    s.queue_integral_ns += since * s.in_flight;
  }
  s.queue_wait_ns = queue_wait_ns_.load(kRelaxed);
  s.latency_sum_ns = latency_.sum_ns();
  s.latency_p50_ns = latency_.quantile_ns(0.5);
  s.latency_p99_ns = latency_.quantile_ns(0.99);
  s.latency_max_ns = latency_.max_ns();
  if (const std::int64_t hung = hung_since_ns_.load(kRelaxed); hung != 0) s.hung_ns = now_ns - hung;
  return s;
}

}  // namespace mark6
