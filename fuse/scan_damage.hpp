// SPDX-License-Identifier: MIT
// What is wrong with a scan, in words that name the disks: for getfattr, .mark6/health and the log.
#pragma once

#include <string>
#include <vector>

#include "common/catalog/scan_opener.hpp"
#include "fuse/scan_facts.hpp"

namespace mark6 {

/// "0", or "3 4-5,17-17": how many blocks are missing, and which.
std::string holes_text(const sg::ScanIndex& index);

/// The fragments of `opened` that are of no use or damaged, a text each, "disk 1/4: PATH: why".
std::vector<std::string> problems_of(const OpenedScan& opened, const ScanFacts& facts);

/// "none", or the same in few words: "1/4: cannot be opened; 1/5: 2 damages; 3 blocks stand twice".
std::string damage_text(const OpenedScan& opened, const ScanFacts& facts);

}  // namespace mark6
