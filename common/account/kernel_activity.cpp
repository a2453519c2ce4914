// SPDX-License-Identifier: MIT
#include "common/account/kernel_activity.hpp"

#include <array>

namespace mark6 {
namespace {

/// Differences of counters that may have wrapped; notes when one went backwards instead.
class Differences {
 public:
  std::uint64_t operator()(std::uint64_t before, std::uint64_t after) {
    if (after >= before) return after - before;
    // Milliseconds are counted to 2^32 by every kernel, the rest by 32-bit kernels; else to 2^64.
    // A wrap is a step forward, so it is the shorter way round; a step back is the longer.
    constexpr std::uint64_t kHalf32 = std::uint64_t{1} << 31U;
    constexpr std::uint64_t kHalf64 = std::uint64_t{1} << 63U;
    const bool is_32_bit = before <= UINT32_MAX;
    const std::uint64_t passed = is_32_bit ? (after - before) & UINT32_MAX : after - before;
    if (passed < (is_32_bit ? kHalf32 : kHalf64)) return passed;
    backwards_ = true;
    return 0;
  }
  KindCounters operator()(const KindCounters& before, const KindCounters& after) {
    return {(*this)(before.requests, after.requests), (*this)(before.merged, after.merged),
            (*this)(before.sectors, after.sectors), (*this)(before.time_ms, after.time_ms)};
  }
  [[nodiscard]] bool backwards() const { return backwards_; }

 private:
  bool backwards_ = false;
};

/// sysstat's rule: when all of these have decreased (those that had counted anything), it is
/// another device under the same number; when only some have, they wrapped.
bool replaced(const DiskCounters& before, const DiskCounters& after) {
  const auto requests = [](const DiskCounters& disk) {
    return disk.reads.requests + disk.writes.requests + disk.discards.requests;
  };
  const auto decreased = [](std::uint64_t from, std::uint64_t to) {
    return from == 0 || to < from;
  };
  return requests(after) < requests(before) &&
         decreased(before.reads.sectors, after.reads.sectors) &&
         decreased(before.writes.sectors, after.writes.sectors) &&
         decreased(before.discards.sectors, after.discards.sectors);
}

double ratio(std::uint64_t part, std::uint64_t whole) {
  return whole == 0 ? 0 : static_cast<double>(part) / static_cast<double>(whole);
}

KindActivity activity(const KindCounters& done, double seconds) {
  constexpr double kSectorsPerKb = 2;
  KindActivity kind;
  kind.per_s = static_cast<double>(done.requests) / seconds;
  kind.kb_per_s = static_cast<double>(done.sectors) / kSectorsPerKb / seconds;
  kind.merged_per_s = static_cast<double>(done.merged) / seconds;
  kind.merged_percent = ratio(done.merged, done.merged + done.requests) * 100;
  kind.await_ms = ratio(done.time_ms, done.requests);
  kind.request_kb = ratio(done.sectors, done.requests) / kSectorsPerKb;
  return kind;
}

using Activity = const KernelActivity&;
constexpr std::array<IostatColumn, 22> kColumns = {{
    {"r/s", [](Activity a) { return a.reads.per_s; }},
    {"rkB/s", [](Activity a) { return a.reads.kb_per_s; }},
    {"rrqm/s", [](Activity a) { return a.reads.merged_per_s; }},
    {"%rrqm", [](Activity a) { return a.reads.merged_percent; }},
    {"r_await", [](Activity a) { return a.reads.await_ms; }},
    {"rareq-sz", [](Activity a) { return a.reads.request_kb; }},
    {"w/s", [](Activity a) { return a.writes.per_s; }},
    {"wkB/s", [](Activity a) { return a.writes.kb_per_s; }},
    {"wrqm/s", [](Activity a) { return a.writes.merged_per_s; }},
    {"%wrqm", [](Activity a) { return a.writes.merged_percent; }},
    {"w_await", [](Activity a) { return a.writes.await_ms; }},
    {"wareq-sz", [](Activity a) { return a.writes.request_kb; }},
    {"d/s", [](Activity a) { return a.discards.per_s; }},
    {"dkB/s", [](Activity a) { return a.discards.kb_per_s; }},
    {"drqm/s", [](Activity a) { return a.discards.merged_per_s; }},
    {"%drqm", [](Activity a) { return a.discards.merged_percent; }},
    {"d_await", [](Activity a) { return a.discards.await_ms; }},
    {"dareq-sz", [](Activity a) { return a.discards.request_kb; }},
    {"f/s", [](Activity a) { return a.flushes_per_s; }},
    {"f_await", [](Activity a) { return a.flush_await_ms; }},
    {"aqu-sz", [](Activity a) { return a.queue_length; }},
    {"%util", [](Activity a) { return a.busy_percent; }},
}};

}  // namespace

KernelActivity kernel_activity(const DiskCounters* before, const DiskCounters& after,
                               double seconds) {
  KernelActivity result;
  if (!(seconds > 0)) return result;
  const DiskCounters nothing;
  const bool anew = before == nullptr || replaced(*before, after);
  const DiskCounters& from = anew ? nothing : *before;

  Differences difference;
  const KindCounters reads = difference(from.reads, after.reads);
  const KindCounters writes = difference(from.writes, after.writes);
  const KindCounters discards = difference(from.discards, after.discards);
  const std::uint64_t flushes = difference(from.flushes, after.flushes);
  const std::uint64_t flush_ms = difference(from.flush_ms, after.flush_ms);
  const std::uint64_t busy_ms = difference(from.busy_ms, after.busy_ms);
  const std::uint64_t queue_ms = difference(from.queue_ms, after.queue_ms);
  if (difference.backwards()) return result;

  constexpr double kMsPerSecond = 1000;
  result.comparison = anew ? Comparison::kAppeared : Comparison::kFine;
  result.reads = activity(reads, seconds);
  result.writes = activity(writes, seconds);
  result.discards = activity(discards, seconds);
  result.flushes_per_s = static_cast<double>(flushes) / seconds;
  result.flush_await_ms = ratio(flush_ms, flushes);
  result.queue_length = static_cast<double>(queue_ms) / kMsPerSecond / seconds;
  result.busy_percent = static_cast<double>(busy_ms) / kMsPerSecond / seconds * 100;
  return result;
}

std::span<const IostatColumn> iostat_columns() { return kColumns; }

}  // namespace mark6
