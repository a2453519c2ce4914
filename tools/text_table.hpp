// SPDX-License-Identifier: MIT
// Columns of text, and lists that are short enough to read. Pure.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "tools/scan_report.hpp"

namespace mark6 {

/// More ranges or lines than this are counted, not shown; --json has all of them.
inline constexpr std::size_t kMaxShownLines = 20;

using TextRow = std::vector<std::string>;

/// A line (with its newline) per row, two spaces between columns; `right` tells which columns are
/// flush right. Cells are taken as they are: escape names before.
std::vector<std::string> aligned(const std::vector<TextRow>& rows, const std::vector<bool>& right);

std::string joined(const std::vector<std::string>& words, const char* separator);

/// "17-18", or "40".
std::string range_text(const sg::BlockRange& range);

/// "missing: 3 of 60 blocks (5.0 %): 17-18, 40".
std::string missing_line(const ScanReport& report);

/// Appends the first kMaxShownLines of `lines`, and how many there are when `total` is more:
/// "`prefix`7 more".
void append_capped(std::vector<std::string>& to, const std::vector<std::string>& lines,
                   std::uint64_t total, const std::string& prefix);

}  // namespace mark6
