// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "common/base/escape.hpp"
#include "common/base/time_text.hpp"
#include "common/base/units.hpp"
#include "tools/list_output.hpp"

namespace mark6 {
namespace {

/// More ranges or lines than this are counted, not shown; --json has all of them.
constexpr std::size_t kMaxShown = 20;
constexpr std::size_t kColumns = 7;
using Row = std::array<std::string, kColumns>;

/// Columns on a terminal: bytes that do not continue a UTF-8 character.
std::size_t width_of(const std::string& text) {
  return static_cast<std::size_t>(std::count_if(text.begin(), text.end(), [](char c) {
    return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U;
  }));
}

std::string joined(const std::vector<std::string>& words, const char* separator) {
  return fmt::format("{}", fmt::join(words, separator));
}

Row row_of(const ScanReport& report) {
  return {escaped(report.name),
          format_bytes(report.size_bytes),
          report.start_unix_s ? vlbi_time(*report.start_unix_s) : "-",
          escaped(joined(report.modules, ",")),
          std::to_string(report.fragments.size()),
          std::to_string(report.blocks),
          std::string(sg::to_string(report.state))};
}

std::string line_of(const Row& row, const std::array<std::size_t, kColumns>& widths) {
  constexpr std::array<bool, kColumns> kRight{false, true, false, false, true, true, false};
  std::string line;
  for (std::size_t i = 0; i < kColumns; ++i) {
    const std::string padding(widths[i] - width_of(row[i]), ' ');
    line += kRight[i] ? padding + row[i] : row[i] + padding;
    if (i + 1 < kColumns) line += "  ";
  }
  line.resize(line.find_last_not_of(' ') + 1);
  return line + "\n";
}

std::string range_text(const sg::BlockRange& range) {
  if (range.first == range.last) return std::to_string(range.first.value);
  return fmt::format("{}-{}", range.first.value, range.last.value);
}

/// "missing: 3 of 60 blocks (5.0 %): 17-18, 40".
std::string missing_line(const ScanReport& report) {
  const std::uint64_t all = report.span ? report.span->count() : 0;
  const double share =
      all == 0 ? 0.0
               : 100.0 * static_cast<double>(report.missing_blocks) / static_cast<double>(all);
  std::vector<std::string> ranges;
  for (const sg::BlockRange& range : report.missing) {
    if (ranges.size() == kMaxShown) break;
    ranges.push_back(range_text(range));
  }
  std::string line = fmt::format("missing: {} of {} blocks ({:.3g} %): {}", report.missing_blocks,
                                 all, share, joined(ranges, ", "));
  if (report.missing.size() > kMaxShown) {
    line += fmt::format(" and {} more ranges", report.missing.size() - kMaxShown);
  }
  return line;
}

/// Appends the first lines of `lines`, and how many there are when `total` is more.
void append_capped(std::vector<std::string>& details, const std::vector<std::string>& lines,
                   std::uint64_t total, const std::string& prefix) {
  const std::size_t shown = std::min(lines.size(), kMaxShown);
  details.insert(details.end(), lines.begin(), lines.begin() + static_cast<std::ptrdiff_t>(shown));
  if (total > shown) details.push_back(fmt::format("{}{} more", prefix, total - shown));
}

void append_damage(std::vector<std::string>& details, const FragmentReport& fragment) {
  std::vector<std::string> lines;
  for (const sg::Damage& damage : fragment.summary.damage) {
    lines.push_back(fmt::format("{}: {}", escaped(fragment.label), escaped(describe(damage))));
  }
  append_capped(details, lines, fragment.summary.damage_count, escaped(fragment.label) + ": ");
  const sg::FragmentUse use = fragment.summary.use;
  if (use == sg::FragmentUse::kDisagrees) {
    details.push_back(fmt::format("{}: left out, its header disagrees with those of the others",
                                  escaped(fragment.label)));
  } else if (use != sg::FragmentUse::kUsed && lines.empty()) {
    details.push_back(fmt::format("{}: left out, {}", escaped(fragment.label), use_name(use)));
  }
}

void append_duplicates(std::vector<std::string>& details, const ScanReport& report) {
  std::vector<std::string> lines;
  for (const sg::Duplicate& twice : report.duplicates) {
    lines.push_back(fmt::format("block {} stands twice: {} (taken) and {}", twice.number.value,
                                escaped(report.fragments[twice.kept.value].label),
                                escaped(report.fragments[twice.dropped.value].label)));
  }
  append_capped(details, lines, report.duplicate_count, "duplicates: ");
}

/// A line per module: "blocks per disk: 1/0 10, 1/1 9".
void append_blocks(std::vector<std::string>& details, const ScanReport& report) {
  for (const std::string& module : report.modules) {
    std::vector<std::string> counts;
    for (const FragmentReport& fragment : report.fragments) {
      if (fragment.module != module) continue;
      counts.push_back(fmt::format("{} {}", escaped(fragment.label), fragment.summary.blocks));
    }
    details.push_back("blocks per disk: " + joined(counts, ", "));
  }
}

std::vector<std::string> details_of(const ScanReport& report) {
  std::vector<std::string> details;
  std::string data = fmt::format("{} bytes", report.size_bytes);
  if (report.span) data += ", blocks " + range_text(*report.span);
  if (report.packet_size != 0) data += fmt::format(", packets of {} bytes", report.packet_size);
  if (report.is_mark5b) data += ", Mark5B";
  const auto is_link = [](const FragmentReport& fragment) { return fragment.is_symlink; };
  if (std::any_of(report.fragments.begin(), report.fragments.end(), is_link)) {
    data += ", fragments are symbolic links";
  }
  details.push_back(std::move(data));
  append_blocks(details, report);
  if (report.missing_blocks != 0) details.push_back(missing_line(report));
  for (const FragmentReport& fragment : report.fragments) append_damage(details, fragment);
  append_duplicates(details, report);
  for (const std::string& disk : report.absent.disks) {
    details.push_back(escaped(disk) + ": no fragment");
  }
  for (const std::string& module : report.absent.modules) {
    details.push_back(fmt::format("module {} of the same group is not in view", escaped(module)));
  }
  return details;
}

}  // namespace

std::string list_table(const std::vector<ScanReport>& reports, bool details) {
  std::vector<Row> rows{{"SCAN", "SIZE", "START", "MODULES", "FRAGMENTS", "BLOCKS", "STATE"}};
  for (const ScanReport& report : reports) rows.push_back(row_of(report));
  std::array<std::size_t, kColumns> widths{};
  for (const Row& row : rows) {
    for (std::size_t i = 0; i < kColumns; ++i) widths[i] = std::max(widths[i], width_of(row[i]));
  }
  std::string text = line_of(rows[0], widths);
  for (std::size_t i = 0; i < reports.size(); ++i) {
    text += line_of(rows[i + 1], widths);
    if (!details) continue;
    for (const std::string& line : details_of(reports[i])) text += "    " + line + "\n";
  }
  return text;
}

}  // namespace mark6
