// SPDX-License-Identifier: MIT
#include "common/report/stats_table.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "common/base/escape.hpp"
#include "common/base/units.hpp"

namespace mark6 {
namespace {

std::string verdict_word(const DiskVerdict& verdict) {
  std::string text(to_string(verdict.judgement));
  if (verdict.judgement >= Judgement::kSuspect) {
    text += fmt::format(" ({})", confidence_words(verdict.confidence));
  }
  return text + (verdict.slow_while_recording ? ", slow while recording" : "");
}

double ratio(double a, double b) { return b > 0 ? a / b : 0; }

std::string disk_line(const DeviceStats& device, double span_s) {
  const DeviceFigures& recent = device.recent;
  constexpr double kMs = 1e3;
  return fmt::format(
      "{:<6} {:<8} {:>8} {:>10} {:>6} {:>8.1f} {:>6.2f} {:>8.1f} {:>8.1f} {:>9.1f} {:>6.1f}  {}",
      escaped(device.label()), device.identity.kernel_name.value_or("-"), recent.requests,
      format_bytes(recent.bytes), device.total.errors,
      ratio(static_cast<double>(recent.bytes), recent.busy_s) * 1e-6, ratio(recent.queue_s, span_s),
      kMs * ratio(recent.latency.sum_s, static_cast<double>(recent.requests)),
      kMs * recent.latency.p99_s, kMs * recent.latency.max_s, 100 * ratio(recent.stall_s, span_s),
      verdict_word(device.verdict));
}

bool was_read(const DeviceStats& device) {
  return device.total.requests > 0 || device.in_flight > 0 || device.total.cached_bytes > 0;
}

std::string stream_line(const StreamStats& stream) {
  return fmt::format("{}: {}{} in {}, {}", escaped(stream.scan), format_bytes(stream.bytes),
                     stream.total_bytes > 0 ? " of " + format_bytes(stream.total_bytes) : "",
                     format_duration(stream.elapsed_s), escaped(stream.limit_reason));
}

/// The disks that are slow or suspect now, the worst first.
std::vector<const DeviceStats*> bad_disks(const StatsSnapshot& stats) {
  std::vector<const DeviceStats*> bad;
  for (const DeviceStats& device : stats.devices) {
    if (device.verdict.judgement >= Judgement::kSuspect) bad.push_back(&device);
  }
  std::stable_sort(bad.begin(), bad.end(), [](const DeviceStats* a, const DeviceStats* b) {
    if (a->verdict.judgement != b->verdict.judgement) {
      return a->verdict.judgement > b->verdict.judgement;
    }
    return a->verdict.confidence > b->verdict.confidence;
  });
  return bad;
}

std::string bad_line(const DeviceStats& device) {
  return fmt::format("disk {} is {} ({}): {}", disk_name(device),
                     to_string(device.verdict.judgement),
                     confidence_words(device.verdict.confidence), escaped(device.verdict.reason));
}

}  // namespace

std::string disk_name(const DeviceStats& device) {
  const std::string label = escaped(device.label());
  const auto& name = device.identity.kernel_name;
  return name ? fmt::format("{} ({})", label, escaped(*name)) : label;
}

std::vector<std::string> stats_table(const StatsSnapshot& stats) {
  std::vector<std::string> lines;
  lines.push_back(fmt::format(
      "{:<6} {:<8} {:>8} {:>10} {:>6} {:>8} {:>6} {:>8} {:>8} {:>9} {:>6}  verdict ({})", "disk",
      "device", "reads", "read", "errors", "busyMB/s", "aqu-sz", "await", "p99 ms", "max ms",
      "stall%",
      stats.span_is_all ? "since the start" : fmt::format("last {:.0f} s", stats.span_s)));
  std::size_t idle = 0;
  for (const DeviceStats& device : stats.devices) {
    if (was_read(device)) {
      lines.push_back(disk_line(device, stats.span_s));
    } else {
      ++idle;
    }
  }
  if (idle > 0) lines.push_back(fmt::format("{} disk{} not read yet", idle, idle == 1 ? "" : "s"));
  for (const DeviceStats* device : bad_disks(stats)) lines.push_back(bad_line(*device));
  for (const StreamStats& stream : stats.streams) lines.push_back(stream_line(stream));
  return lines;
}

std::vector<std::string> verdict_lines(const StatsSnapshot& stats, std::size_t most_disks) {
  std::vector<std::string> lines;
  const auto bad = bad_disks(stats);
  for (std::size_t i = 0; i < std::min(most_disks, bad.size()); ++i) {
    lines.push_back(bad_line(*bad[i]));
  }
  if (bad.size() > most_disks) {
    lines.push_back(fmt::format("{} more disk{} slow or suspect", bad.size() - most_disks,
                                bad.size() - most_disks == 1 ? " is" : "s are"));
  }
  for (const DeviceStats& device : stats.devices) {
    if (!device.verdict.slow_while_recording) continue;
    lines.push_back(
        fmt::format("disk {} {}", disk_name(device), escaped(device.verdict.recording)));
  }
  for (const StreamStats& stream : stats.streams) {
    if (bad.empty() && stream.limit == "sink") lines.push_back(escaped(stream.limit_reason));
  }
  return lines;
}

}  // namespace mark6
