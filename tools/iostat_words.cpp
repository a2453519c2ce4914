// SPDX-License-Identifier: MIT
// What stands above and below the table and the map: headings and reasons.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "common/base/escape.hpp"
#include "common/base/time_text.hpp"
#include "common/base/units.hpp"
#include "tools/iostat_output.hpp"

namespace mark6 {
namespace {

constexpr std::size_t kMostStreams = 8;  // lines per program; --json has all

std::string span_words(const IostatReport& report) {
  if (report.kind == ReportKind::kSinceBoot) {
    return "since boot, " + format_duration(report.seconds);
  }
  const std::string seconds = fmt::format("{:.2f} s", report.seconds);
  return report.kind == ReportKind::kAverage ? "average of " + seconds : seconds;
}

std::string label_range(const std::vector<std::string>& labels) {
  constexpr std::size_t kMostNamed = 4;
  if (labels.size() <= kMostNamed) return fmt::format("{}", fmt::join(labels, ", "));
  return fmt::format("{} ... {} ({} disks)", labels.front(), labels.back(), labels.size());
}

/// "disk 2/5 (sdr)".
std::string disk_words(const IostatRow& row) {
  return fmt::format("disk {} ({})", escaped(row.disk.label()), escaped(row.device()));
}

std::string reason_line(const IostatRow& row, const IostatView& view) {
  const Judgement judgement = row.verdict.judgement;
  return fmt::format("    {} is {} ({}): {}\n", disk_words(row),
                     coloured(std::string(to_string(judgement)), judgement, view),
                     confidence_words(row.verdict.confidence), escaped(row.verdict.reason));
}

}  // namespace

std::string coloured(const std::string& text, Judgement judgement, const IostatView& view) {
  if (!view.colour) return text;
  switch (judgement) {
    case Judgement::kSlow:
      return "\033[1;31m" + text + "\033[0m";
    case Judgement::kSuspect:
      return "\033[33m" + text + "\033[0m";
    case Judgement::kFine:
      return "\033[32m" + text + "\033[0m";
    case Judgement::kUnknown:
      break;
  }
  return text;
}

std::string report_heading(const IostatReport& report) {
  std::string text =
      fmt::format("{}  {}\n", iso_time(static_cast<std::int64_t>(std::floor(report.time_s))),
                  span_words(report));
  for (const IostatProgram& program : report.programs) {
    text += fmt::format(
        "{} {} {}: {}/s\n", escaped(program.program), program.pid, escaped(program.target),
        format_bytes(static_cast<std::uint64_t>(std::max(program.bytes_per_s, 0.0))));
    const std::size_t shown = std::min(program.limits.size(), kMostStreams);
    for (std::size_t i = 0; i < shown; ++i) {
      text += "    " + escaped(program.limits[i]) + "\n";
    }
    if (program.limits.size() > shown) {
      text += fmt::format("    and {} streams more\n", program.limits.size() - shown);
    }
  }
  return text;
}

std::string report_reasons(const IostatReport& report, const IostatView& view) {
  std::string text;
  for (const IostatModule& module : report.modules) {
    for (const IostatRow& row : module.rows) {
      if (row.verdict.judgement >= Judgement::kSuspect) text += reason_line(row, view);
      if (!row.verdict.slow_while_recording) continue;
      text += fmt::format("    {} {}\n", disk_words(row), escaped(row.verdict.recording));
    }
  }
  return text;
}

std::vector<std::string> sharing_notes(std::span<const WatchedDisk> disks) {
  std::map<std::string, std::vector<std::string>> on_device;  // by name: an order that stays
  std::map<std::string, std::vector<std::string>> on_bottom;
  for (const WatchedDisk& disk : disks) {
    const DeviceIdentity& identity = disk.identity;
    if (!kernel_disk_of(identity) || !identity.kernel_name) continue;
    on_device[*identity.kernel_name].push_back(disk.label());
    for (const DeviceIdentity* bottom : physical_disks(identity)) {
      if (bottom == &identity || !bottom->kernel_name) continue;
      on_bottom[*bottom->kernel_name].push_back(disk.label());
    }
  }
  std::vector<std::string> notes;
  for (const auto& [name, labels] : on_device) {
    if (labels.size() < 2) continue;
    notes.push_back(fmt::format(
        "{}: the device of {}; the kernel counts what is done to all of them together, which every "
        "one of their lines shows (*) and the totals count once; if they should be disks of their "
        "own, they are not mounted",
        name, label_range(labels)));
  }
  for (const auto& [name, labels] : on_bottom) {
    if (labels.size() < 2) continue;
    notes.push_back(fmt::format("{}: the devices of {} stand on it and share its rate", name,
                                label_range(labels)));
  }
  return notes;
}

}  // namespace mark6
