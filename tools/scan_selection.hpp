// SPDX-License-Identifier: MIT
// The scans that the words of a command line ask for.
#pragma once

#include <string>
#include <vector>

#include "common/catalog/catalog.hpp"
#include "tools/talk.hpp"

namespace mark6 {

struct ScanSelection {
  std::vector<const Scan*> scans;  ///< in the order of the catalog, each once
  bool some_not_found = false;     ///< told already
};

/// The scans of `catalog` (of `sources`) that `words` name or match; all without words. A word that
/// fits none is told, with the nearest names.
ScanSelection select_scans(const Catalog& catalog, const CatalogSources& sources,
                           const std::vector<std::string>& words, const Talk& talk);

}  // namespace mark6
