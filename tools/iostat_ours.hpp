// SPDX-License-Identifier: MIT
// What running programs of ours say about the disks in view. For iostat_report.cpp only; pure.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "tools/iostat_report.hpp"

namespace mark6 {

/// Whether both are about one disk: the same names, and no two devices that are known to differ
/// (another recording below another root may have a disk 1/0, too).
bool same_disk(const WatchedDisk& disk, const DeviceStats& device);

/// `disks`, and behind them those that a program reads and that are not among them.
std::vector<WatchedDisk> with_unseen(std::span<const WatchedDisk> disks,
                                     const std::vector<StatsSnapshot>& programs);

/// A running program, at both ends of the time that a report is about.
struct ProgramSpan {
  const StatsSnapshot* before;  ///< nullptr: it began within, or it is counted since it began
  const StatsSnapshot* after;
  double seconds;  ///< what rates are over
};

/// The programs of `after`; `before` nullptr: since each began. Points into the samples.
std::vector<ProgramSpan> program_spans(const IostatSample* before, const IostatSample& after);

/// What all programs together did to `disk`; nothing when none has it open.
std::optional<OurActivity> our_activity(const WatchedDisk& disk,
                                        std::span<const ProgramSpan> spans);

/// Fills in the verdict, the blocks and their share from the programs that read the row's disk. Of
/// several verdicts the worst one counts.
void judge_by_programs(IostatRow& row, std::span<const ProgramSpan> spans);

std::vector<IostatProgram> describe_programs(std::span<const ProgramSpan> spans);

}  // namespace mark6
