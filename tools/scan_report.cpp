// SPDX-License-Identifier: MIT
#include "tools/scan_report.hpp"

#include <sys/resource.h>

#include <algorithm>
#include <condition_variable>
#include <mutex>
#include <utility>

namespace mark6 {
namespace {

/// Descriptors that may be open for fragments: half of what the process is allowed.
std::size_t descriptor_budget() {
  constexpr rlim_t kEnough = 1024;
  struct rlimit limit {};
  if (::getrlimit(RLIMIT_NOFILE, &limit) != 0) return kEnough / 2;
  return static_cast<std::size_t>(std::min(limit.rlim_cur, kEnough)) / 2;
}

/// A fragment is opened twice: for O_DIRECT and through the page cache.
std::size_t descriptors_of(const Scan& scan) { return 2 * scan.fragments.size(); }

FragmentReport fragment_report(const FragmentPath& fragment, const Disk& disk) {
  FragmentReport report;
  report.path = fragment.path;
  report.module = disk.module;
  report.disk = disk.name;
  report.label = disk.label();
  report.is_symlink = fragment.is_symlink;
  report.size_bytes = fragment.size_bytes;
  return report;
}

/// The reports as they come in, in any order, and the descriptors in use meanwhile.
class Collector {
 public:
  explicit Collector(std::size_t scans) : reports_(scans) {}

  /// Waits until `descriptors` more fit into `budget`; false when asked to stop. Whatever it
  /// needs, one scan may always be open.
  bool reserve(std::size_t descriptors, std::size_t budget, const std::stop_token& stop) {
    std::unique_lock lock(mutex_);
    const bool ready =
        changed_.wait(lock, stop, [&] { return in_use_ == 0 || in_use_ + descriptors <= budget; });
    if (!ready || stop.stop_requested()) return false;
    in_use_ += descriptors;
    return true;
  }

  void add(std::size_t place, ScanReport report, std::size_t descriptors) {
    const std::lock_guard lock(mutex_);
    reports_[place] = std::move(report);
    in_use_ -= descriptors;
    ++done_;
    changed_.notify_all();
  }

  /// Waits for all reports; nothing when asked to stop.
  std::optional<std::vector<ScanReport>> take(const std::stop_token& stop) {
    std::unique_lock lock(mutex_);
    if (!changed_.wait(lock, stop, [this] { return done_ == reports_.size(); })) return {};
    return std::move(reports_);
  }

 private:
  std::mutex mutex_;
  std::condition_variable_any changed_;
  std::vector<ScanReport> reports_;
  std::size_t done_ = 0;
  std::size_t in_use_ = 0;
};

}  // namespace

ScanReport report_of(const OpenedScan& opened, const Catalog& catalog, Absent absent) {
  const sg::ScanIndex& index = opened.index;
  ScanReport report;
  report.name = opened.name;
  report.size_bytes = index.size_bytes();
  report.blocks = index.block_count();
  if (report.blocks > 0) {
    report.span = sg::BlockRange{index.block(0).number, index.block(report.blocks - 1).number};
  }
  report.missing = index.missing();
  report.missing_blocks = index.missing_blocks();
  report.duplicates = index.duplicates();
  report.duplicate_count = index.duplicate_count();
  report.packet_size = index.packet_size();
  report.start_unix_s = opened.start_unix_s;
  report.is_mark5b = opened.is_mark5b;
  report.open_problems = opened.open_problems;
  report.state = opened.open_problems.empty() ? index.state() : sg::ScanState::kDamaged;
  report.absent = std::move(absent);
  for (std::size_t i = 0; i < opened.fragments.size(); ++i) {
    const FragmentPath& fragment = opened.fragments[i];
    const Disk& disk = catalog.disks[fragment.disk.value];
    report.fragments.push_back(fragment_report(fragment, disk));
    if (i < index.fragments().size()) report.fragments.back().summary = index.fragments()[i];
    if (std::find(report.modules.begin(), report.modules.end(), disk.module) ==
        report.modules.end()) {
      report.modules.push_back(disk.module);
    }
  }
  return report;
}

std::optional<std::vector<ScanReport>> report_all(const Catalog& catalog,
                                                  const std::vector<const Scan*>& scans,
                                                  const ModuleView& modules,
                                                  const std::stop_token& stop) {
  const std::size_t budget = descriptor_budget();
  Collector collector(scans.size());
  ScanOpener opener(catalog.disks.size());  // last, so that its threads end first
  for (std::size_t i = 0; i < scans.size(); ++i) {
    const Scan& scan = *scans[i];
    const std::size_t descriptors = descriptors_of(scan);
    if (!collector.reserve(descriptors, budget, stop)) return std::nullopt;
    opener.open(scan, false, [&, i, descriptors](OpenedScanPtr opened) {
      ScanReport report = report_of(*opened, catalog, modules.absent(*scans[i]));
      opened.reset();  // closes the files, before their descriptors count as free
      collector.add(i, std::move(report), descriptors);
    });
  }
  return collector.take(stop);
}

std::string_view use_name(sg::FragmentUse use) {
  switch (use) {
    case sg::FragmentUse::kUsed:
      return "used";
    case sg::FragmentUse::kEmpty:
      return "empty";
    case sg::FragmentUse::kUnreadable:
      return "unreadable";
    case sg::FragmentUse::kDisagrees:
      return "disagrees";
    case sg::FragmentUse::kNotScatterGather:
      return "not_scatter_gather";
  }
  return "unknown";
}

}  // namespace mark6
