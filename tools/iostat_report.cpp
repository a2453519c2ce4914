// SPDX-License-Identifier: MIT
#include "tools/iostat_report.hpp"

#include <algorithm>
#include <utility>

#include "tools/iostat_kernel.hpp"
#include "tools/iostat_ours.hpp"

namespace mark6 {
namespace {

double seconds_between(const IostatSample& before, const IostatSample& after) {
  return 1e-9 * static_cast<double>(after.taken_ns - before.taken_ns);
}

/// `before` nullptr: since boot.
std::optional<KernelActivity> kernel_of(const WatchedDisk& disk, const IostatSample* before,
                                        const IostatSample& after, double seconds) {
  const auto number = kernel_disk_of(disk.identity);
  const DiskCounters* to = number ? after.kernel.find(*number) : nullptr;
  if (to == nullptr) return std::nullopt;
  const DiskCounters* from = before == nullptr ? nullptr : before->kernel.find(*number);
  const KernelActivity activity = kernel_activity(from, *to, seconds);
  if (activity.comparison == Comparison::kNone) return std::nullopt;
  return activity;
}

std::vector<std::string> shared_with(const std::vector<WatchedDisk>& disks, std::size_t i) {
  std::vector<std::string> others;
  const auto own = kernel_disk_of(disks[i].identity);
  for (std::size_t j = 0; own && j < disks.size(); ++j) {
    if (j != i && kernel_disk_of(disks[j].identity) == own) others.push_back(disks[j].label());
  }
  return others;
}

std::vector<IostatRow> rows_of(const std::vector<WatchedDisk>& disks, const IostatSample* before,
                               const IostatSample& after, double seconds) {
  const std::vector<ProgramSpan> spans = program_spans(before, after);
  std::vector<IostatRow> rows;
  for (std::size_t i = 0; i < disks.size(); ++i) {
    IostatRow row;
    row.disk = disks[i];
    row.shared_with = shared_with(disks, i);
    row.kernel = kernel_of(disks[i], before, after, seconds);
    row.ours = our_activity(disks[i], spans);
    row.verdict.reason = "no mark6fs or mark6gather of this user reads it";
    judge_by_programs(row, spans);
    rows.push_back(std::move(row));
  }
  return rows;
}

/// Rows that stand on one device count once.
IostatTotal total_of(const std::vector<const IostatRow*>& rows) {
  std::vector<DeviceNumber> seen;
  std::vector<KernelActivity> devices;
  IostatTotal total;
  for (const IostatRow* row : rows) {
    const auto number = kernel_disk_of(row->disk.identity);
    const bool counted = number && std::find(seen.begin(), seen.end(), *number) != seen.end();
    if (row->kernel && !counted) devices.push_back(*row->kernel);
    if (number) seen.push_back(*number);
    if (!row->ours) continue;
    if (!total.ours) total.ours.emplace();
    total.ours->bytes_per_s += row->ours->bytes_per_s;
    total.ours->requests_per_s += row->ours->requests_per_s;
    total.ours->stall_share += row->ours->stall_share;
    total.ours->p99_s = std::max(total.ours->p99_s, row->ours->p99_s);
    total.ours->errors += row->ours->errors;
  }
  if (!devices.empty()) total.kernel = sum_of(devices);
  return total;
}

IostatModule& module_at(std::vector<IostatModule>& modules, const std::string& name) {
  const auto known = std::find_if(modules.begin(), modules.end(),
                                  [&name](const auto& module) { return module.module == name; });
  if (known != modules.end()) return *known;
  modules.push_back({name, {}, {}, {}});
  return modules.back();
}

void group(IostatReport& report, std::vector<IostatRow> rows) {
  for (IostatRow& row : rows) {
    IostatModule& module = module_at(report.modules, row.disk.module);
    if (module.msn.empty()) module.msn = row.disk.msn;
    module.rows.push_back(std::move(row));
  }
  std::vector<const IostatRow*> all;
  for (IostatModule& module : report.modules) {
    std::vector<const IostatRow*> own;
    for (const IostatRow& row : module.rows) own.push_back(&row);
    module.total = total_of(own);
    all.insert(all.end(), own.begin(), own.end());
  }
  report.total = total_of(all);
}

IostatReport report_of(ReportKind kind, const IostatSample* before, const IostatSample& after) {
  IostatReport report;
  report.kind = kind;
  report.time_s = after.time_s;
  report.seconds = before == nullptr ? after.uptime_s : seconds_between(*before, after);
  report.programs = describe_programs(program_spans(before, after));
  return report;
}

bool same_row(const IostatRow& a, const IostatRow& b) {
  return a.disk.module == b.disk.module && a.disk.disk == b.disk.disk &&
         kernel_disk_of(a.disk.identity) == kernel_disk_of(b.disk.identity);
}

}  // namespace

IostatReport interval_report(std::span<const WatchedDisk> disks, const IostatSample& before,
                             const IostatSample& after, const IostatSample& judged_from) {
  IostatReport report = report_of(ReportKind::kInterval, &before, after);
  auto rows = rows_of(with_unseen(disks, after.programs), &before, after, report.seconds);
  judge_by_kernel(rows, judged_from, after);
  group(report, std::move(rows));
  return report;
}

IostatReport since_boot_report(std::span<const WatchedDisk> disks, const IostatSample& now) {
  IostatReport report = report_of(ReportKind::kSinceBoot, nullptr, now);
  group(report, rows_of(with_unseen(disks, now.programs), nullptr, now, report.seconds));
  return report;
}

void IostatAverage::add(const IostatReport& report) {
  ++reports_;
  for (const IostatModule& module : report.modules) {
    for (const IostatRow& row : module.rows) {
      auto sums = std::find_if(sums_.begin(), sums_.end(),
                               [&row](const auto& sum) { return same_row(sum.latest, row); });
      if (sums == sums_.end()) {
        sums_.push_back({});
        sums = sums_.end() - 1;
        sums->latest = row;
      }
      if (row.verdict.judgement != Judgement::kUnknown) sums->latest = row;
      if (!row.ours) continue;
      sums->ours = true;
      sums->bytes += row.ours->bytes_per_s * report.seconds;
      sums->requests += row.ours->requests_per_s * report.seconds;
      sums->stall_s += row.ours->stall_share * report.seconds;
      sums->p99_s = std::max(sums->p99_s, row.ours->p99_s);
      sums->errors += row.ours->errors;
    }
  }
}

IostatReport IostatAverage::report(const IostatSample& first, const IostatSample& last) const {
  IostatReport report = report_of(ReportKind::kAverage, &first, last);
  std::vector<WatchedDisk> disks;
  for (const Sums& sums : sums_) disks.push_back(sums.latest.disk);
  auto rows = rows_of(disks, &first, last, report.seconds);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const Sums& sums = sums_[i];
    rows[i].verdict = sums.latest.verdict;
    rows[i].verdict_by = sums.latest.verdict_by;
    rows[i].blocks = sums.latest.blocks;
    rows[i].block_share = sums.latest.block_share;
    rows[i].ours.reset();
    if (!sums.ours || !(report.seconds > 0)) continue;
    rows[i].ours = OurActivity{.bytes_per_s = sums.bytes / report.seconds,
                               .requests_per_s = sums.requests / report.seconds,
                               .stall_share = sums.stall_s / report.seconds,
                               .p99_s = sums.p99_s,
                               .errors = sums.errors};
  }
  group(report, std::move(rows));
  return report;
}

}  // namespace mark6
