// SPDX-License-Identifier: MIT
// What the sizes of the fragments tell of the recorder: how many blocks each disk got, beside the
// disks that were recorded together with it. Pure.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <vector>

#include "common/catalog/catalog.hpp"
#include "common/sg/format.hpp"
#include "tools/diagnose_disks.hpp"

namespace mark6 {

/// Scans to look at, places in Catalog::scans: the largest, at most `at_most`.
std::vector<std::size_t> largest_scans(const Catalog& catalog, std::size_t at_most);

/// Blocks of a fragment of `file_bytes` whose blocks are all full but the last, as recorders leave
/// them; 0 where the header makes no sense.
std::uint64_t blocks_by_size(const sg::FileHeader& header, std::uint64_t file_bytes);

/// Blocks by disk (place in Catalog::disks), of one scan.
using BlocksOfScan = std::map<std::size_t, std::uint64_t>;

/// Fills in blocks, block_share and the recorder's evidence of `disks`. Peers are the disks of all
/// modules that hold the same ones of `scans` (places in Catalog::scans, with their blocks):
/// modules with other scans were filled at other times, and their counts say nothing. Fragments
/// whose blocks are not known are missing in `scans`; such a scan is left out altogether.
void add_recorder_evidence(const Catalog& catalog, const std::map<std::size_t, BlocksOfScan>& scans,
                           std::vector<DiskUnderTest>& disks);

}  // namespace mark6
