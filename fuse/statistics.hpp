// SPDX-License-Identifier: MIT
// What a mount tells the statistics about its disks, and what it tells of them.
#pragma once

#include <string>
#include <vector>

#include "fuse/service.hpp"

namespace mark6 {

/// Tells the statistics of the disks at `directories` that they do not know yet, and which devices
/// all of them are. Looks at the directories, as the search for scans before it has.
void add_disks(Service& service, const std::vector<std::string>& directories);

/// What the mount has done so far, as lines in the log (SIGUSR1).
void log_statistics(Service& service);

/// The table of .mark6/disks.
std::string disks_text(Service& service);

/// .mark6/health: a line per scan whose state is known, per fragment that is of no use, and per
/// disk.
std::string health_text(Service& service);

}  // namespace mark6
