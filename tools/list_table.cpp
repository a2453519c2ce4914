// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <algorithm>

#include "common/base/escape.hpp"
#include "common/base/time_text.hpp"
#include "common/base/units.hpp"
#include "tools/content_words.hpp"
#include "tools/list_output.hpp"
#include "tools/text_table.hpp"

namespace mark6 {
namespace {

TextRow row_of(const ScanReport& report) {
  return {escaped(report.name),
          format_bytes(report.size_bytes),
          report.start_unix_s ? vlbi_time(*report.start_unix_s) : "-",
          escaped(joined(report.modules, ",")),
          std::to_string(report.fragments.size()),
          std::to_string(report.blocks),
          std::string(sg::to_string(report.state))};
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
  if (report.content) append_content(details, *report.content);
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
  std::vector<TextRow> rows{{"SCAN", "SIZE", "START", "MODULES", "FRAGMENTS", "BLOCKS", "STATE"}};
  for (const ScanReport& report : reports) rows.push_back(row_of(report));
  const auto lines = aligned(rows, {false, true, false, false, true, true, false});
  std::string text = lines[0];
  for (std::size_t i = 0; i < reports.size(); ++i) {
    text += lines[i + 1];
    if (!details) continue;
    for (const std::string& line : details_of(reports[i])) text += "    " + line + "\n";
  }
  return text;
}

}  // namespace mark6
