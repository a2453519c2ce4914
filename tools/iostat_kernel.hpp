// SPDX-License-Identifier: MIT
// What the kernel's counters say of many devices together, and which of them they give away as
// slow. For iostat_report.cpp; pure.
#pragma once

#include <span>
#include <vector>

#include "tools/iostat_report.hpp"

namespace mark6 {

/// The devices as one: rates and queues are added up, times and sizes are means over all their
/// requests, %util is the mean over the devices (as in `iostat -g`).
KernelActivity sum_of(std::span<const KernelActivity> devices);

/// Compares the devices of all rows by the kernel's figures from `before` to `after`, and judges
/// the rows about which no program of ours knows anything. Such verdicts are weaker: the kernel has
/// neither the distribution of the times nor who waited. So a disk that takes longer than its peers
/// without being plainly slow, and one that had little to do, is unknown here, never fine; and no
/// verdict is more than 0.6 sure.
void judge_by_kernel(std::vector<IostatRow>& rows, const IostatSample& before,
                     const IostatSample& after);

}  // namespace mark6
