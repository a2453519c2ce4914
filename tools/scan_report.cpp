// SPDX-License-Identifier: MIT
#include "tools/scan_report.hpp"

#include <algorithm>
#include <utility>

#include "common/catalog/content.hpp"
#include "tools/open_all.hpp"

namespace mark6 {
namespace {

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
                                                  const ModuleView& modules, bool with_content,
                                                  const std::stop_token& stop) {
  std::vector<ScanReport> reports(scans.size());
  const bool all = open_all(catalog, scans, {}, stop, [&](std::size_t i, const OpenedScan& opened) {
    reports[i] = report_of(opened, catalog, modules.absent(*scans[i]));
    if (with_content) reports[i].content = content_of(opened);
  });
  if (!all) return std::nullopt;
  return reports;
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
