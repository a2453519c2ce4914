// SPDX-License-Identifier: MIT
#include "common/account/stream_verdict.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <numeric>

namespace mark6 {
namespace {

constexpr std::int64_t kLeastElapsedNs = 500'000'000;
/// Disks that are slow or suspect limit the stream when so much of all waiting for disks was for
/// them.
constexpr double kToBlame = 0.5;

double share(std::int64_t part, std::int64_t whole) {
  return whole > 0 ? static_cast<double>(part) / static_cast<double>(whole) : 0;
}

/// Disks by the time that was waited for them, longest first.
std::vector<std::size_t> by_stall(const StallLedger::Snapshot& time) {
  std::vector<std::size_t> order(time.disk_ns.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return time.disk_ns[a] > time.disk_ns[b]; });
  return order;
}

/// Those that are slow or suspect and were waited for, longest first; empty unless most of the
/// waiting was for them.
std::vector<std::size_t> to_blame(const StallLedger::Snapshot& time, std::int64_t disks_ns,
                                  const std::vector<std::size_t>& order,
                                  std::span<const DiskVerdict> verdicts) {
  std::vector<std::size_t> culprits;
  std::int64_t theirs_ns = 0;
  for (const std::size_t i : order) {
    const bool bad = i < verdicts.size() && verdicts[i].judgement >= Judgement::kSuspect;
    // One that hardly mattered is not named beside one that did.
    if (!bad || share(time.disk_ns[i], disks_ns) < 0.05) continue;
    culprits.push_back(i);
    theirs_ns += time.disk_ns[i];
  }
  if (share(theirs_ns, disks_ns) < kToBlame) culprits.clear();
  return culprits;
}

std::string culprits_text(std::span<const DiskActivity> disks,
                          std::span<const DiskVerdict> verdicts,
                          const std::vector<std::size_t>& culprits) {
  std::vector<std::string> names;
  names.reserve(culprits.size());
  for (const std::size_t i : culprits) {
    names.push_back(fmt::format("{} ({})", disks[i].disk, to_string(verdicts[i].judgement)));
  }
  return fmt::format("disk{} {}", names.size() == 1 ? "" : "s", fmt::join(names, ", "));
}

/// "waiting for disks 71 % (longest 1/3, 9 %), for the sink 27 %, own work 2 %".
std::string account_text(const StallLedger::Snapshot& time, std::int64_t disks_ns,
                         const std::vector<std::size_t>& order,
                         std::span<const DiskActivity> disks) {
  const auto percent = [&](std::int64_t ns) { return 100 * share(ns, time.elapsed_ns); };
  std::string longest;
  if (disks_ns > 0 && order.front() < disks.size()) {
    longest = fmt::format(" (longest {}, {:.0f} %)", disks[order.front()].disk,
                          percent(time.disk_ns[order.front()]));
  }
  return fmt::format("waiting for disks {:.0f} %{}, for the sink {:.0f} %, own work {:.0f} %",
                     percent(disks_ns), longest, percent(time.sink_ns), percent(time.work_ns));
}

}  // namespace

std::string_view to_string(StreamLimit limit) {
  constexpr std::array<std::string_view, 5> kWords{"unknown", "disk", "disks", "sink", "work"};
  return kWords[static_cast<std::size_t>(limit)];
}

StreamVerdict judge_stream(const StallLedger::Snapshot& time, std::span<const DiskActivity> disks,
                           std::span<const DiskVerdict> verdicts) {
  StreamVerdict verdict;
  if (time.elapsed_ns < kLeastElapsedNs) {
    verdict.reason = "not enough data: less than half a second has passed";
    return verdict;
  }
  const std::int64_t disks_ns =
      std::accumulate(time.disk_ns.begin(), time.disk_ns.end(), std::int64_t{0});
  const std::vector<std::size_t> order = by_stall(time);
  const std::string account = account_text(time, disks_ns, order, disks);
  std::string what = "its own work";
  verdict.limit = StreamLimit::kWork;
  verdict.share = share(time.work_ns, time.elapsed_ns);
  if (disks_ns >= std::max(time.sink_ns, time.work_ns)) {
    verdict.disks = to_blame(time, disks_ns, order, verdicts);
    verdict.limit = verdict.disks.empty() ? StreamLimit::kDisks : StreamLimit::kDisk;
    what = verdict.disks.empty() ? "the disks all together"
                                 : culprits_text(disks, verdicts, verdict.disks);
    verdict.share = share(disks_ns, time.elapsed_ns);
  } else if (time.sink_ns >= time.work_ns) {
    verdict.limit = StreamLimit::kSink;
    what = "the sink";
    verdict.share = share(time.sink_ns, time.elapsed_ns);
  }
  verdict.reason = fmt::format("limited by {}: {}", what, account);
  return verdict;
}

StallLedger::Snapshot interval(const StallLedger::Snapshot& before,
                               const StallLedger::Snapshot& now) {
  StallLedger::Snapshot between = now;
  between.elapsed_ns -= before.elapsed_ns;
  between.sink_ns -= before.sink_ns;
  between.work_ns -= before.work_ns;
  for (std::size_t i = 0; i < std::min(now.disk_ns.size(), before.disk_ns.size()); ++i) {
    between.disk_ns[i] -= before.disk_ns[i];
  }
  return between;
}

}  // namespace mark6
