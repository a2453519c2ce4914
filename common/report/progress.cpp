// SPDX-License-Identifier: MIT
#include "common/report/progress.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "common/base/clock.hpp"
#include "common/base/escape.hpp"
#include "common/base/units.hpp"

namespace mark6 {
namespace {

double percent(std::int64_t part, std::int64_t whole) {
  return whole > 0 ? 100.0 * static_cast<double>(part) / static_cast<double>(whole) : 0.0;
}

/// What was spent between two snapshots of the same ledger.
StallLedger::Snapshot difference(const StallLedger::Snapshot& before,
                                 const StallLedger::Snapshot& now) {
  StallLedger::Snapshot spent = now;
  spent.elapsed_ns -= before.elapsed_ns;
  spent.sink_ns -= before.sink_ns;
  spent.work_ns -= before.work_ns;
  const std::size_t both = std::min(before.disk_ns.size(), spent.disk_ns.size());
  for (std::size_t i = 0; i < both; ++i) spent.disk_ns[i] -= before.disk_ns[i];
  return spent;
}

/// The disks by the time they were waited for, longest first; those never waited for are left out.
std::vector<std::size_t> by_waiting(const std::vector<std::int64_t>& disk_ns) {
  std::vector<std::size_t> order;
  for (std::size_t i = 0; i < disk_ns.size(); ++i) {
    if (disk_ns[i] > 0) order.push_back(i);
  }
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return disk_ns[a] > disk_ns[b]; });
  return order;
}

std::string label_of(const std::vector<std::string>& disks, std::size_t disk) {
  return disk < disks.size() ? escaped(disks[disk]) : fmt::format("disk {}", disk);
}

std::string waiting_text(const StallLedger::Snapshot& spent,
                         const std::vector<std::string>& disks) {
  std::string text = "waiting for ";
  const auto order = by_waiting(spent.disk_ns);
  if (!order.empty()) {
    text += fmt::format("{} {:.0f} %, for ", label_of(disks, order.front()),
                        percent(spent.disk_ns[order.front()], spent.elapsed_ns));
  }
  return text + fmt::format("the sink {:.0f} %", percent(spent.sink_ns, spent.elapsed_ns));
}

/// What comes behind the name in the progress line.
std::string state_text(const StreamLabels& labels, const StreamSample& before,
                       const StreamSample& now) {
  const auto spent = difference(before.time, now.time);
  std::string text = fmt::format(
      "{} of {}  {:.0f} %  {}", format_bytes(now.bytes), format_bytes(labels.total_bytes),
      percent(static_cast<std::int64_t>(now.bytes), static_cast<std::int64_t>(labels.total_bytes)),
      format_rate(now.bytes - before.bytes, seconds(spent.elapsed_ns)));
  if (now.bytes > 0 && now.bytes < labels.total_bytes) {
    const double left = static_cast<double>(labels.total_bytes - now.bytes) *
                        seconds(now.time.elapsed_ns) / static_cast<double>(now.bytes);
    text += "  " + format_duration(left) + " left";
  }
  return text + "  " + waiting_text(spent, labels.disks);
}

}  // namespace

std::string progress_line(const StreamLabels& labels, const StreamSample& before,
                          const StreamSample& now, std::size_t columns) {
  std::string state = state_text(labels, before, now);
  std::string line = escaped(labels.scan) + "  " + state;
  if (line.size() <= columns) return line;
  // The state is ASCII but for the disks' labels; a cut through one of those costs one odd glyph.
  return state.substr(0, columns);
}

std::string time_account(const StallLedger::Snapshot& time, const std::vector<std::string>& disks,
                         std::size_t top) {
  const auto order = by_waiting(time.disk_ns);
  const std::int64_t all_ns =
      std::accumulate(time.disk_ns.begin(), time.disk_ns.end(), std::int64_t{0});
  std::string text =
      fmt::format("disks {:.2f} s ({:.0f} %)", seconds(all_ns), percent(all_ns, time.elapsed_ns));
  std::int64_t rest_ns = all_ns;
  const char* separator = ": ";
  for (std::size_t i = 0; i < std::min(top, order.size()); ++i) {
    const std::int64_t ns = time.disk_ns[order[i]];
    text += fmt::format("{}{} {:.2f} s", separator, label_of(disks, order[i]), seconds(ns));
    rest_ns -= ns;
    separator = ", ";
  }
  if (order.size() > top) {
    const std::size_t others = order.size() - top;
    text += fmt::format("{}{} other{} {:.2f} s", separator, others, others == 1 ? "" : "s",
                        seconds(rest_ns));
  }
  return text + fmt::format("; sink {:.2f} s ({:.0f} %); own work {:.2f} s ({:.0f} %)",
                            seconds(time.sink_ns), percent(time.sink_ns, time.elapsed_ns),
                            seconds(time.work_ns), percent(time.work_ns, time.elapsed_ns));
}

std::string ranges_text(std::span<const sg::BlockRange> ranges, std::size_t at_most) {
  std::string text;
  for (const sg::BlockRange& range : ranges.first(std::min(at_most, ranges.size()))) {
    if (!text.empty()) text += ", ";
    text += range.first == range.last ? fmt::format("{}", range.first.value)
                                      : fmt::format("{}-{}", range.first.value, range.last.value);
  }
  if (ranges.size() > at_most) {
    text += fmt::format(" and {} more ranges", ranges.size() - at_most);
  }
  return text;
}

Ticker::Ticker(std::chrono::milliseconds interval, std::function<void()> on_tick)
    : thread_([interval, call = std::move(on_tick)](const std::stop_token& stop) {
        std::mutex mutex;
        std::condition_variable_any wake;
        std::unique_lock lock(mutex);
        while (true) {
          wake.wait_for(lock, stop, interval, [] { return false; });
          if (stop.stop_requested()) return;
          call();
        }
      }) {}

Ticker::~Ticker() = default;  // asks the thread to stop, which wakes it, and joins it

}  // namespace mark6
