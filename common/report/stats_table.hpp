// SPDX-License-Identifier: MIT
// A snapshot for people: a table with a line per disk, and the sentences that matter.
#pragma once

#include <string>
#include <vector>

#include "common/report/stats.hpp"

namespace mark6 {

/// Lines without newlines: a head, a line per disk that was read (what it did over the snapshot's
/// span), why some are slow or suspect, a line per stream. Safe to print on a terminal.
std::vector<std::string> stats_table(const StatsSnapshot& stats);

/// What an operator should know, a line each without a newline: "disk 2/5 (sdr) is slow (very
/// likely): ...", "disk 1/3 was slow while recording: ...", and where no disk is slow or suspect
/// but the sink limits a stream: "limited by the sink: ...". At most `most_disks` disks are named,
/// the worst first. Empty when all is well.
std::vector<std::string> verdict_lines(const StatsSnapshot& stats, std::size_t most_disks);

/// "2/5 (sdr)": the disk's label, with the kernel's name for its device where that is known.
std::string disk_name(const DeviceStats& device);

}  // namespace mark6
