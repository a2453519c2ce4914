// SPDX-License-Identifier: MIT
// The forms of a report of `mark6 iostat`: a table and a map for people, JSON for programs. Pure.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "tools/iostat_report.hpp"

namespace mark6 {

struct IostatView {
  bool extended = false;     ///< all columns
  bool totals_only = false;  ///< no line per disk
  bool kilobytes = false;    ///< kB/s (1024 bytes) in place of MB/s (1024 * 1024), as iostat's
  bool colour = false;       ///< terminal escapes
};

/// A heading, the programs, a line per disk, module and for all, then the reasons of what is slow
/// or suspect. Not wider than 100 columns unless extended, where names are of ordinary length.
std::string iostat_table(const IostatReport& report, const IostatView& view);

/// "Module 1: g j [k] l": the devices of each module in the order of its disks, "sd" left out;
/// [slow], (suspect). Then the reasons.
std::string iostat_map(const IostatReport& report, const IostatView& view);

/// One object of schema mark6.iostat/1 (docs/reference/mark6-iostat.md) on one line.
std::string iostat_json(const IostatReport& report);

/// Lines about devices that are not one disk's alone: on which the kernel's figures are of several
/// disks, or which share the rate of what is below them.
std::vector<std::string> sharing_notes(std::span<const WatchedDisk> disks);

/// For iostat_table.cpp and iostat_map.cpp: "2026-07-03T12:34:56Z  1.00 s", then the programs.
std::string report_heading(const IostatReport& report);
/// A line for each disk that is slow, suspect, or was slow while recording.
std::string report_reasons(const IostatReport& report, const IostatView& view);
/// `text` in the colour of the judgement where the view has colours.
std::string coloured(const std::string& text, Judgement judgement, const IostatView& view);

}  // namespace mark6
