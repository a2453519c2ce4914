// SPDX-License-Identifier: MIT
// All that is told about one scan, as values: what remains of an opened scan once its files are
// closed, so that thousands of scans can be listed with a few hundred descriptors.
#pragma once

#include <cstdint>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "common/catalog/catalog.hpp"
#include "common/catalog/scan_opener.hpp"
#include "common/sg/scan_index.hpp"
#include "common/vdif/survey.hpp"
#include "tools/module_view.hpp"

namespace mark6 {

struct FragmentReport {
  std::string path;
  std::string module;
  std::string disk;
  std::string label;  ///< "1/4"
  bool is_symlink = false;
  std::uint64_t size_bytes = 0;
  sg::FragmentSummary summary;
};

struct ScanReport {
  std::string name;
  std::uint64_t size_bytes = 0;
  std::uint64_t blocks = 0;
  std::optional<sg::BlockRange> span;  ///< first and last block; absent without blocks
  std::vector<sg::BlockRange> missing;
  std::uint64_t missing_blocks = 0;
  std::vector<sg::Duplicate> duplicates;
  std::uint64_t duplicate_count = 0;
  std::uint32_t packet_size = 0;
  sg::ScanState state = sg::ScanState::kComplete;
  std::optional<std::int64_t> start_unix_s;
  bool is_mark5b = false;
  std::optional<vdif::Content> content;  ///< where it was asked for
  std::vector<std::string> modules;      ///< that hold a fragment, in their order
  std::vector<FragmentReport> fragments;
  std::vector<std::string> open_problems;
  Absent absent;
};

/// What `opened` comes to.
ScanReport report_of(const OpenedScan& opened, const Catalog& catalog, Absent absent);

/// Opens all `scans`, as many at a time as the limit of open files allows, and reports them in
/// their order; `with_content`: looks at some of their frames too. Nothing when `stop` was
/// requested meanwhile.
std::optional<std::vector<ScanReport>> report_all(const Catalog& catalog,
                                                  const std::vector<const Scan*>& scans,
                                                  const ModuleView& modules, bool with_content,
                                                  const std::stop_token& stop);

/// "used", "empty", "unreadable", "disagrees", "not_scatter_gather".
std::string_view use_name(sg::FragmentUse use);

}  // namespace mark6
