// SPDX-License-Identifier: MIT
// What one disk did: requests, bytes, errors, latency, busy time. Owned by the reaper, which alone
// writes; anybody may read at any time without a lock.
#pragma once

#include <atomic>
#include <cstdint>

#include "common/account/histogram.hpp"

namespace mark6 {

class DeviceCounters {
 public:
  /// Reaper: a request goes to the kernel at `now_ns`, having waited in our queue since
  /// `queued_ns`.
  void issued(std::int64_t now_ns, std::int64_t queued_ns);
  /// Reaper: a request issued at `issued_ns` came back at `now_ns` with `bytes` (or an error).
  void finished(std::int64_t now_ns, std::int64_t issued_ns, std::uint64_t bytes, bool error);
  /// Reaper: `bytes` were in the page cache; the device has not been asked.
  void found_in_cache(std::uint64_t bytes);
  /// Reaper: a request had to be issued again (short read, EAGAIN, a part of one that failed).
  void retried();
  /// Reaper: the disk has not answered since `since_ns`, longer than is waited for; 0: it does.
  void hung_since(std::int64_t since_ns);

  struct Snapshot {
    std::uint64_t requests = 0;      ///< finished, good or bad
    std::uint64_t bytes = 0;         ///< as read from the device, alignment included
    std::uint64_t cached_bytes = 0;  ///< taken from the page cache; not in `bytes` and `requests`
    std::uint64_t errors = 0;
    std::uint64_t retries = 0;
    std::uint32_t in_flight = 0;
    std::int64_t busy_ns = 0;            ///< union of the times with a request in flight
    std::int64_t queue_integral_ns = 0;  ///< integral of the number in flight over time
    std::int64_t queue_wait_ns = 0;      ///< time spent in our own queue, over all requests
    std::int64_t latency_sum_ns = 0;     ///< service time, over all requests
    std::int64_t latency_p50_ns = 0;
    std::int64_t latency_p99_ns = 0;
    std::int64_t latency_max_ns = 0;
    std::int64_t hung_ns = 0;  ///< how long a hung disk has not answered; 0: it is not hung
  };
  /// The state at `now_ns`; fields may be a request apart from each other.
  [[nodiscard]] Snapshot snapshot(std::int64_t now_ns) const;
  [[nodiscard]] const Histogram& latency() const { return latency_; }

 private:
  void advance(std::int64_t now_ns);

  Histogram latency_;
  std::atomic<std::uint64_t> requests_{0}, bytes_{0}, cached_bytes_{0}, errors_{0}, retries_{0};
  std::atomic<std::uint32_t> in_flight_{0};
  std::atomic<std::int64_t> busy_ns_{0}, queue_integral_ns_{0}, queue_wait_ns_{0};
  std::atomic<std::int64_t> last_change_ns_{0};
  std::atomic<std::int64_t> hung_since_ns_{0};
};

}  // namespace mark6
