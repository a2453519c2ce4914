// SPDX-License-Identifier: MIT
// Where single blocks of an opened scan lie, without a walk of them all.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "common/catalog/scan_opener.hpp"
#include "common/sg/scan_index.hpp"

namespace mark6 {

/// The first blocks of the scan, ascending, at most `most` of them. Where a grid is all that is
/// known, only blocks that are the first of a fragment are among them.
std::vector<sg::Extent> first_blocks(const sg::ScanIndex& index, std::size_t most);

/// The last blocks, descending; where there is a grid, those that are the last of a fragment.
std::vector<sg::Extent> last_blocks(const sg::ScanIndex& index, std::size_t most);

/// Block `i` of the scan. Where there is a grid, it is looked for in the fragments: a few header
/// reads in each. Nothing when it cannot be found.
std::optional<sg::Extent> find_place(const OpenedScan& scan, std::size_t i);

}  // namespace mark6
