// SPDX-License-Identifier: MIT
// Opens many scans, as many at a time as the limit of open files allows, so that thousands of
// scans can be looked at with a few hundred descriptors.
#pragma once

#include <functional>
#include <stop_token>
#include <vector>

#include "common/catalog/catalog.hpp"
#include "common/catalog/scan_opener.hpp"

namespace mark6 {

struct OpenAllOptions {
  IndexBy index_by = IndexBy::kProof;
  WalkProgress* progress = nullptr;
};

/// Calls `visit(i, opened)` once for each of `scans`, on several threads, in any order, while the
/// scan's files are open. False when `stop` was requested meanwhile.
bool open_all(const Catalog& catalog, const std::vector<const Scan*>& scans,
              const OpenAllOptions& options, const std::stop_token& stop,
              const std::function<void(std::size_t, const OpenedScan&)>& visit);

}  // namespace mark6
