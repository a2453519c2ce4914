// SPDX-License-Identifier: MIT
#include "tools/iostat_kernel.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

namespace mark6 {
namespace {

constexpr double kMostConfidence = 0.6;
/// A disk that takes so many times as long as its peers cannot be called fine without knowing how
/// its times are distributed (disk_comparison.hpp).
constexpr double kNotFineTimes = 1.4;
/// A disk that was busy for less of the time (in percent) was not put to the test: what holds it up
/// may lie above the kernel's counters, as a cgroup's limit does.
constexpr double kLoadedPercent = 50;
/// With more of other requests the kernel's times are no longer those of reads.
constexpr double kMostOtherShare = 0.05;

double ratio(double part, double whole) { return whole > 0 ? part / whole : 0; }

void add(KindActivity& sum, const KindActivity& kind) {
  // Means are weighted by requests; finish() divides.
  sum.per_s += kind.per_s;
  sum.kb_per_s += kind.kb_per_s;
  sum.merged_per_s += kind.merged_per_s;
  sum.await_ms += kind.await_ms * kind.per_s;
}

void finish(KindActivity& sum) {
  sum.await_ms = ratio(sum.await_ms, sum.per_s);
  sum.request_kb = ratio(sum.kb_per_s, sum.per_s);
  sum.merged_percent = 100 * ratio(sum.merged_per_s, sum.merged_per_s + sum.per_s);
}

/// One device, however many disks stand on it.
struct JudgedDevice {
  DeviceNumber number;
  const DiskCounters* after;
  KernelActivity kernel;
  DiskVerdict verdict{};
};

std::vector<JudgedDevice> devices_of(const std::vector<IostatRow>& rows, const IostatSample& before,
                                     const IostatSample& after, double seconds) {
  std::vector<JudgedDevice> devices;
  for (const IostatRow& row : rows) {
    const auto number = kernel_disk_of(row.disk.identity);
    if (!number) continue;
    const DiskCounters* from = before.kernel.find(*number);
    const DiskCounters* to = after.kernel.find(*number);
    const bool known = std::any_of(devices.begin(), devices.end(),
                                   [&](const auto& device) { return device.number == *number; });
    if (known || from == nullptr || to == nullptr) continue;
    const KernelActivity kernel = kernel_activity(from, *to, seconds);
    if (kernel.comparison == Comparison::kFine) devices.push_back({*number, to, kernel});
  }
  return devices;
}

DiskActivity activity_of(const JudgedDevice& device, const IostatRow& row, double seconds) {
  const KernelActivity& kernel = device.kernel;
  DiskActivity activity;
  activity.disk = row.disk.label();
  activity.model = row.disk.identity.facts.model.value_or("");
  activity.requests = static_cast<std::uint64_t>(std::llround(kernel.reads.per_s * seconds));
  activity.bytes = static_cast<std::uint64_t>(std::llround(kernel.reads.kb_per_s * 1024 * seconds));
  activity.in_flight = static_cast<std::uint32_t>(device.after->in_flight);
  activity.busy_ns = std::llround(kernel.busy_percent / 100 * seconds * 1e9);
  activity.queue_integral_ns = std::llround(kernel.queue_length * seconds * 1e9);
  return activity;
}

DiskVerdict unknown(std::string reason) {
  DiskVerdict verdict;
  verdict.reason = std::move(reason);
  return verdict;
}

/// What the kernel's sums leave of a verdict.
DiskVerdict weakened(DiskVerdict verdict, const JudgedDevice& device, double seconds) {
  const KernelActivity& kernel = device.kernel;
  if (kernel.reads.per_s == 0 && device.after->in_flight == 0) {
    return unknown(fmt::format("no reads in {:.1f} s", seconds));
  }
  const double others = kernel.writes.per_s + kernel.discards.per_s;
  if (others > kMostOtherShare * kernel.reads.per_s && others * seconds >= 1) {
    return unknown(
        fmt::format("it is written to ({:.0f} writes in {:.1f} s): the kernel's figures "
                    "are not those of reads alone",
                    kernel.writes.per_s * seconds, seconds));
  }
  if (verdict.judgement == Judgement::kFine && kernel.busy_percent < kLoadedPercent) {
    return unknown(
        fmt::format("busy for {:.0f} % of {:.1f} s, too little to tell by the kernel's "
                    "figures alone",
                    kernel.busy_percent, seconds));
  }
  verdict.reason += ", by the kernel's figures alone";
  verdict.confidence = std::min(verdict.confidence, kMostConfidence);
  if (verdict.judgement == Judgement::kFine && verdict.times_slower >= kNotFineTimes) {
    verdict.judgement = Judgement::kUnknown;
    verdict.confidence = 0;
    verdict.reason += ", which do not suffice to call it slow";
  }
  return verdict;
}

void judge_devices(std::vector<JudgedDevice>& devices, const std::vector<IostatRow>& rows,
                   double seconds) {
  std::vector<DiskActivity> activities;
  for (const JudgedDevice& device : devices) {
    const auto row = std::find_if(rows.begin(), rows.end(), [&device](const auto& candidate) {
      return kernel_disk_of(candidate.disk.identity) == device.number;
    });
    activities.push_back(activity_of(device, *row, seconds));
  }
  const auto verdicts = judge_disks(activities, std::llround(seconds * 1e9));
  for (std::size_t i = 0; i < devices.size(); ++i) {
    devices[i].verdict = weakened(verdicts[i], devices[i], seconds);
  }
}

}  // namespace

KernelActivity sum_of(std::span<const KernelActivity> devices) {
  KernelActivity sum;
  for (const KernelActivity& device : devices) {
    sum.comparison = Comparison::kFine;
    add(sum.reads, device.reads);
    add(sum.writes, device.writes);
    add(sum.discards, device.discards);
    sum.flushes_per_s += device.flushes_per_s;
    sum.flush_await_ms += device.flush_await_ms * device.flushes_per_s;
    sum.queue_length += device.queue_length;
    sum.busy_percent += device.busy_percent;
  }
  finish(sum.reads);
  finish(sum.writes);
  finish(sum.discards);
  sum.flush_await_ms = ratio(sum.flush_await_ms, sum.flushes_per_s);
  sum.busy_percent = ratio(sum.busy_percent, static_cast<double>(devices.size()));
  return sum;
}

void judge_by_kernel(std::vector<IostatRow>& rows, const IostatSample& before,
                     const IostatSample& after) {
  const double seconds = 1e-9 * static_cast<double>(after.taken_ns - before.taken_ns);
  if (!(seconds > 0)) return;
  std::vector<JudgedDevice> devices = devices_of(rows, before, after, seconds);
  judge_devices(devices, rows, seconds);
  for (IostatRow& row : rows) {
    const auto number = kernel_disk_of(row.disk.identity);
    const auto device = std::find_if(devices.begin(), devices.end(), [&](const auto& candidate) {
      return number && candidate.number == *number;
    });
    if (device == devices.end() || row.verdict.judgement != Judgement::kUnknown) continue;
    const bool says_more = device->verdict.judgement != Judgement::kUnknown;
    if (row.verdict_by == VerdictBy::kProgram && !says_more) continue;
    const DiskVerdict by_program = row.verdict;
    row.verdict = device->verdict;
    row.verdict.slow_while_recording = by_program.slow_while_recording;
    row.verdict.recording = by_program.recording;
    row.verdict_by = VerdictBy::kKernel;
  }
}

}  // namespace mark6
