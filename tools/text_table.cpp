// SPDX-License-Identifier: MIT
#include "tools/text_table.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

namespace mark6 {
namespace {

/// Columns on a terminal: bytes that do not continue a UTF-8 character.
std::size_t width_of(const std::string& text) {
  return static_cast<std::size_t>(std::count_if(text.begin(), text.end(), [](char c) {
    return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U;
  }));
}

}  // namespace

std::vector<std::string> aligned(const std::vector<TextRow>& rows, const std::vector<bool>& right) {
  std::vector<std::size_t> widths(right.size());
  for (const TextRow& row : rows) {
    for (std::size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], width_of(row[i]));
  }
  std::vector<std::string> lines;
  for (const TextRow& row : rows) {
    std::string line;
    for (std::size_t i = 0; i < row.size(); ++i) {
      const std::string padding(widths[i] - width_of(row[i]), ' ');
      line += right[i] ? padding + row[i] : row[i] + padding;
      if (i + 1 < row.size()) line += "  ";
    }
    line.resize(line.find_last_not_of(' ') + 1);
    lines.push_back(line + "\n");
  }
  return lines;
}

std::string joined(const std::vector<std::string>& words, const char* separator) {
  return fmt::format("{}", fmt::join(words, separator));
}

std::string range_text(const sg::BlockRange& range) {
  if (range.first == range.last) return std::to_string(range.first.value);
  return fmt::format("{}-{}", range.first.value, range.last.value);
}

std::string missing_line(const ScanReport& report) {
  const std::uint64_t all = report.span ? report.span->count() : 0;
  const double share =
      all == 0 ? 0.0
               : 100.0 * static_cast<double>(report.missing_blocks) / static_cast<double>(all);
  std::vector<std::string> ranges;
  for (const sg::BlockRange& range : report.missing) {
    if (ranges.size() == kMaxShownLines) break;
    ranges.push_back(range_text(range));
  }
  std::string line = fmt::format("missing: {} of {} blocks ({:.3g} %): {}", report.missing_blocks,
                                 all, share, joined(ranges, ", "));
  if (report.missing.size() > kMaxShownLines) {
    line += fmt::format(" and {} more ranges", report.missing.size() - kMaxShownLines);
  }
  return line;
}

void append_capped(std::vector<std::string>& to, const std::vector<std::string>& lines,
                   std::uint64_t total, const std::string& prefix) {
  const std::size_t shown = std::min(lines.size(), kMaxShownLines);
  to.insert(to.end(), lines.begin(), lines.begin() + static_cast<std::ptrdiff_t>(shown));
  if (total > shown) to.push_back(fmt::format("{}{} more", prefix, total - shown));
}

}  // namespace mark6
