// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include "common/base/escape.hpp"
#include "common/base/time_text.hpp"
#include "common/base/units.hpp"
#include "tools/check_output.hpp"
#include "tools/frame_words.hpp"
#include "tools/text_table.hpp"

namespace mark6 {
namespace {

/// "exp1_st_no0001.vdif: damaged, 619200 bytes (619 kB) in 60 blocks 0-59 ...".
std::string heading(const ScanCheck& check) {
  const ScanReport& report = check.structure.scan;
  std::string line =
      fmt::format("{}: {}, {} bytes ({}) in {} blocks", escaped(report.name),
                  check.findings() == 0 ? "clean" : std::string(sg::to_string(report.state)),
                  report.size_bytes, format_bytes(report.size_bytes), report.blocks);
  if (report.span) line += " of " + range_text(*report.span);
  if (report.packet_size != 0) line += fmt::format(", packets of {} bytes", report.packet_size);
  if (report.is_mark5b) line += ", Mark5B";
  if (report.start_unix_s) line += ", from " + vlbi_time(*report.start_unix_s);
  return line + "\n";
}

std::string state_of(const FragmentReport& fragment) {
  if (fragment.summary.use != sg::FragmentUse::kUsed) {
    return fragment.summary.use == sg::FragmentUse::kNotScatterGather
               ? "left out: not Mark6"
               : "left out: " + std::string(use_name(fragment.summary.use));
  }
  if (fragment.summary.damage_count > 0) {
    return fmt::format("damaged in {} place{}", fragment.summary.damage_count,
                       fragment.summary.damage_count == 1 ? "" : "s");
  }
  return fragment.is_symlink ? "ok, a symbolic link" : "ok";
}

std::string disks_table(const StructureCheck& check) {
  const ScanReport& report = check.scan;
  std::vector<TextRow> rows{{"DISK", "FILE", "BLOCKS", "SHARE", "STATE"}};
  for (const FragmentReport& fragment : report.fragments) {
    rows.push_back({escaped(fragment.label), format_bytes(fragment.size_bytes),
                    std::to_string(fragment.summary.blocks), "-", state_of(fragment)});
  }
  for (const BlockShare& share : check.shares) {
    TextRow& row = rows[share.fragment.value + std::size_t{1}];
    row[3] = fmt::format("{:.1f} %", 100 * share.share);
    if (share.slow_while_recording) row[4] += "; " + share.evidence;
  }
  for (const std::string& disk : report.absent.disks) {
    rows.push_back({escaped(disk), "-", "-", "-", "no fragment"});
  }
  std::string text;
  for (const std::string& line : aligned(rows, {false, true, true, true, false})) {
    text += "    " + line;
  }
  return text;
}

/// "structure: 2 truncated blocks, 1 block out of order ..."; empty when there is nothing to sum.
std::string sums_line(const StructureCheck& check) {
  std::vector<std::string> parts;
  const auto add = [&parts](std::uint64_t count, const char* what) {
    if (count > 0) parts.push_back(fmt::format("{} {}", count, what));
  };
  add(check.truncated_blocks, "truncated");
  add(check.out_of_order_blocks, "out of order");
  add(check.repaired_lengths, "with a wrong length");
  add(check.scan.duplicate_count, "a second time");
  std::string line = parts.empty() ? "" : "blocks: " + joined(parts, ", ");
  if (check.lost_bytes > 0) {
    line += fmt::format("{}{} bytes passed over in {} place{}", line.empty() ? "" : "; ",
                        check.lost_bytes, check.resynchronisations,
                        check.resynchronisations == 1 ? "" : "s");
  }
  return line;
}

}  // namespace

std::string check_table(const std::vector<ScanCheck>& checks) {
  std::string text;
  for (const ScanCheck& check : checks) {
    const StructureCheck& structure = check.structure;
    text += heading(check) + disks_table(structure);
    std::vector<std::string> lines;
    if (structure.scan.missing_blocks != 0) lines.push_back(missing_line(structure.scan));
    if (std::string sums = sums_line(structure); !sums.empty()) lines.push_back(std::move(sums));
    std::vector<std::string> findings;
    for (const std::string& finding : structure_findings(structure)) {
      findings.push_back(escaped(finding));
    }
    append_capped(lines, findings, findings.size(), "findings: ");
    if (check.frames) {
      for (const std::string& line : frame_lines(*check.frames)) lines.push_back(escaped(line));
    }
    for (const std::string& line : lines) text += "    " + line + "\n";
  }
  return text;
}

}  // namespace mark6
