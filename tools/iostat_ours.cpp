// SPDX-License-Identifier: MIT
#include "tools/iostat_ours.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace mark6 {
namespace {

template <class Number>
Number difference(Number now, Number before) {
  return now > before ? now - before : Number{0};
}

const DeviceStats* find_device(const StatsSnapshot* program, const WatchedDisk& disk) {
  if (program == nullptr) return nullptr;
  const auto& devices = program->devices;
  const auto found = std::find_if(devices.begin(), devices.end(),
                                  [&disk](const auto& device) { return same_disk(disk, device); });
  return found == devices.end() ? nullptr : &*found;
}

bool same_process(const StatsSnapshot& before, const StatsSnapshot& after) {
  return before.pid == after.pid && before.program == after.program &&
         before.target == after.target && before.uptime_s < after.uptime_s;
}

void add(OurActivity& sum, const DeviceStats* before, const DeviceStats& after, double seconds) {
  const DeviceFigures nothing;
  const DeviceFigures& from = before == nullptr ? nothing : before->total;
  const DeviceFigures& to = after.total;
  sum.errors += difference(to.errors, from.errors);
  sum.p99_s = std::max(sum.p99_s, after.recent.latency.p99_s);
  if (!(seconds > 0)) return;
  sum.bytes_per_s += static_cast<double>(difference(to.bytes, from.bytes)) / seconds;
  sum.requests_per_s += static_cast<double>(difference(to.requests, from.requests)) / seconds;
  sum.stall_share += difference(to.stall_s, from.stall_s) / seconds;
}

std::uint64_t total_bytes(const StatsSnapshot* program) {
  std::uint64_t bytes = 0;
  if (program == nullptr) return bytes;
  for (const DeviceStats& device : program->devices) bytes += device.total.bytes;
  return bytes;
}

}  // namespace

bool same_disk(const WatchedDisk& disk, const DeviceStats& device) {
  if (disk.module != device.module || disk.disk != device.disk) return false;
  const auto ours = kernel_disk_of(disk.identity);
  const auto theirs = kernel_disk_of(device.identity);
  return !ours || !theirs || *ours == *theirs;
}

std::vector<WatchedDisk> with_unseen(std::span<const WatchedDisk> disks,
                                     const std::vector<StatsSnapshot>& programs) {
  std::vector<WatchedDisk> all(disks.begin(), disks.end());
  for (const StatsSnapshot& program : programs) {
    for (const DeviceStats& device : program.devices) {
      const bool known = std::any_of(
          all.begin(), all.end(), [&device](const auto& disk) { return same_disk(disk, device); });
      if (!known) all.push_back({device.module, device.disk, {}, device.identity});
    }
  }
  return all;
}

std::vector<ProgramSpan> program_spans(const IostatSample* before, const IostatSample& after) {
  std::vector<ProgramSpan> spans;
  for (const StatsSnapshot& now : after.programs) {
    const StatsSnapshot* earlier = nullptr;
    double seconds = now.uptime_s;
    if (before != nullptr) {
      const auto found =
          std::find_if(before->programs.begin(), before->programs.end(),
                       [&now](const auto& program) { return same_process(program, now); });
      if (found != before->programs.end()) {
        earlier = &*found;
        seconds = now.uptime_s - earlier->uptime_s;
      } else {
        // One that began within: what it did is of this time. One that did not answer before has
        // only its own mean to offer.
        const double interval_s = 1e-9 * static_cast<double>(after.taken_ns - before->taken_ns);
        seconds = std::max(interval_s, now.uptime_s);
      }
    }
    spans.push_back({earlier, &now, seconds});
  }
  return spans;
}

std::optional<OurActivity> our_activity(const WatchedDisk& disk,
                                        std::span<const ProgramSpan> spans) {
  std::optional<OurActivity> sum;
  for (const ProgramSpan& span : spans) {
    const DeviceStats* after = find_device(span.after, disk);
    if (after == nullptr) continue;
    if (!sum) sum.emplace();
    add(*sum, find_device(span.before, disk), *after, span.seconds);
  }
  return sum;
}

void judge_by_programs(IostatRow& row, std::span<const ProgramSpan> spans) {
  for (const ProgramSpan& span : spans) {
    const DeviceStats* device = find_device(span.after, row.disk);
    if (device == nullptr) continue;
    if (!row.blocks) row.blocks = device->blocks;
    if (!row.block_share) row.block_share = device->block_share;
    if (row.verdict_by == VerdictBy::kProgram &&
        row.verdict.judgement >= device->verdict.judgement) {
      continue;
    }
    row.verdict_by = VerdictBy::kProgram;
    row.verdict = device->verdict;
  }
}

std::vector<IostatProgram> describe_programs(std::span<const ProgramSpan> spans) {
  std::vector<IostatProgram> programs;
  for (const ProgramSpan& span : spans) {
    IostatProgram program;
    program.program = span.after->program;
    program.target = span.after->target;
    program.pid = span.after->pid;
    if (span.seconds > 0) {
      const auto bytes = difference(total_bytes(span.after), total_bytes(span.before));
      program.bytes_per_s = static_cast<double>(bytes) / span.seconds;
    }
    for (const StreamStats& stream : span.after->streams) {
      if (!stream.limit_reason.empty()) program.limits.push_back(stream.limit_reason);
    }
    programs.push_back(std::move(program));
  }
  return programs;
}

}  // namespace mark6
