// SPDX-License-Identifier: MIT
// What a gather tells the statistics about its disks, and what it prints of them.
#pragma once

#include <string>

#include "common/catalog/catalog.hpp"
#include "common/catalog/scan_opener.hpp"
#include "common/read/read_engine.hpp"
#include "common/report/stats_collector.hpp"

namespace mark6::gather {

/// Tells `statistics` of all disks of `catalog`, read by `engine`, and how many blocks of `scan`
/// lie on each.
void add_disks(StatsCollector& statistics, const OpenedScan& scan, const Catalog& catalog,
               const ReadEngine& engine);

/// Tells `statistics` which devices the scan's disks are. Takes a few ms; never asks a disk.
void identify_disks(StatsCollector& statistics, const OpenedScan& scan);

/// For the report: "  verdict: disk 2/5 (sdr) is slow (certain): ...\n", a line each; empty when
/// there is nothing to say.
std::string verdict_text(const StatsSnapshot& stats);

/// The table, as SIGUSR1 prints it.
std::string state_text(const StatsSnapshot& stats);

}  // namespace mark6::gather
