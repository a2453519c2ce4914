// SPDX-License-Identifier: MIT
// What is said at the end: how much was delivered how fast, what was missing or damaged, and where
// the time went. Text only.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "common/catalog/catalog.hpp"
#include "common/catalog/scan_opener.hpp"
#include "common/read/read_engine.hpp"
#include "common/report/progress.hpp"
#include "gather/pipeline.hpp"
#include "gather/plan.hpp"

namespace mark6::gather {

/// What a delivered range lacks.
struct Losses {
  std::vector<sg::BlockRange> missing;  ///< between the blocks of the range
  std::uint64_t missing_blocks = 0;
  std::uint64_t blocks = 0;         ///< that should be there: first to last of the range
  std::vector<std::string> damage;  ///< a line each: path, what is wrong
  std::uint64_t damage_count = 0;   ///< all of it, also what has no line
  std::uint64_t unread_bytes = 0;   ///< left out because the disks did not give them
  std::uint64_t unread_places = 0;
  std::vector<std::string> unread;  ///< a line each, of the first
  [[nodiscard]] bool any() const { return missing_blocks + damage_count + unread_places > 0; }
};

/// The losses of `range` of the scan; damage is that of all fragments, wherever it lies.
Losses losses_of(const OpenedScan& scan, const Catalog& catalog, const Range& range);
/// The same, and what was left out on the way.
void add_unread(Losses& losses, const Unread& unread, const OpenedScan& scan,
                const Catalog& catalog);

/// "holes: 12 of 400 blocks missing (3.0 %): 17, 33-40 ..." and lines of damage; every line ends
/// with a newline. Empty when nothing is lost.
std::string losses_text(const Losses& losses, bool verbose);

/// "SCAN: 4.00 GB in 4.31 s, 928.1 MB/s (7.42 Gbit/s)" and where the time went.
std::string delivery_text(const StreamLabels& labels, const StreamSample& end,
                          std::int64_t opening_ns);

/// A line per disk that was read: requests, bytes, rate while busy, latencies.
std::string disks_text(const StreamLabels& labels, const ReadEngine& engine, std::int64_t now_ns);

}  // namespace mark6::gather
