// SPDX-License-Identifier: MIT
#include "tools/scan_selection.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <set>

#include "common/base/escape.hpp"
#include "common/catalog/similar_names.hpp"

namespace mark6 {
namespace {

std::string not_found_line(const Catalog& catalog, const CatalogSources& sources,
                           const std::string& word) {
  std::string line =
      fmt::format("{}: no scan of that name; {} scans on {} disks were looked at ({})",
                  escaped(word), catalog.scans.size(), catalog.disks.size(),
                  escaped(fmt::format("{}", fmt::join(sources.disk_globs, ", "))));
  const auto names = similar_names(word, catalog.scan_names());
  if (!names.empty()) {
    line += "; nearest: " + escaped(fmt::format("{}", fmt::join(names, ", ")));
  }
  return line;
}

}  // namespace

ScanSelection select_scans(const Catalog& catalog, const CatalogSources& sources,
                           const std::vector<std::string>& words, const Talk& talk) {
  ScanSelection selection;
  std::set<const Scan*> wanted;  // by place in the catalog, which is by name
  for (const std::string& word : words) {
    const auto matches = match_scans(catalog, word);
    wanted.insert(matches.begin(), matches.end());
    if (!matches.empty()) continue;
    selection.some_not_found = true;
    talk.error(not_found_line(catalog, sources, word));
  }
  if (words.empty()) {
    for (const Scan& scan : catalog.scans) wanted.insert(&scan);
  }
  selection.scans.assign(wanted.begin(), wanted.end());
  return selection;
}

}  // namespace mark6
