// SPDX-License-Identifier: MIT
#include "fuse/statistics.hpp"

#include "common/base/clock.hpp"
#include "common/base/log.hpp"
#include "common/base/units.hpp"

namespace mark6 {

void log_statistics(Service& service) {
  const std::int64_t now_ns = monotonic_ns();
  const auto& pool = service.engine->pool();
  spdlog::info("{} scans, {} open, {} requests wait, memory {} of {} (most {})",
               service.tree.listing()->size(), service.open_scans.size(),
               service.queue.unfinished(), format_bytes(pool.used_bytes()),
               format_bytes(pool.budget_bytes()), format_bytes(pool.peak_bytes()));
  for (std::uint32_t i = 0; i < service.disks.size(); ++i) {
    const auto disk = service.engine->counters(DiskIndex(i)).snapshot(now_ns);
    constexpr double kMs = 1e-6;
    spdlog::info(
        "disk {}: {} reads, {}, {} errors, {} in flight, busy {}, {} while busy, latency p50 "
        "{:.1f} ms, p99 {:.1f} ms, most {:.1f} ms",
        service.disks.label(DiskIndex(i)), disk.requests, format_bytes(disk.bytes), disk.errors,
        disk.in_flight, format_duration(seconds(disk.busy_ns)),
        format_rate(disk.bytes, seconds(disk.busy_ns)),
        static_cast<double>(disk.latency_p50_ns) * kMs,
        static_cast<double>(disk.latency_p99_ns) * kMs,
        static_cast<double>(disk.latency_max_ns) * kMs);
  }
}

}  // namespace mark6
