// SPDX-License-Identifier: MIT
#include "common/catalog/catalog.hpp"

#include <fnmatch.h>

#include <algorithm>
#include <utility>

namespace mark6 {
namespace {

constexpr std::string_view kSuffix = ".vdif";

std::string_view without_suffix(std::string_view name) {
  if (name.ends_with(kSuffix)) name.remove_suffix(kSuffix.size());
  return name;
}

}  // namespace

std::vector<std::string> Catalog::scan_names() const {
  std::vector<std::string> names;
  names.reserve(scans.size());
  for (const Scan& scan : scans) names.push_back(scan.name);
  return names;
}

const Scan* Catalog::find(std::string_view name) const {
  const auto place = std::lower_bound(
      scans.begin(), scans.end(), name,
      [](const Scan& scan, std::string_view wanted) { return scan.name < wanted; });
  return place != scans.end() && place->name == name ? &*place : nullptr;
}

CatalogSources CatalogSources::from(const std::vector<std::string>& sources,
                                    const Environment& environment) {
  CatalogSources result;
  result.disk_globs = sources;
  if (result.disk_globs.empty()) {
    result.disk_globs.push_back(environment.variable("MARK6_ROOT").value_or("/mnt/disks/*/*"));
  }
  result.meta_root = environment.variable("MARK6_META_ROOT");
  return result;
}

std::vector<const Scan*> match_scans(const Catalog& catalog, std::string_view word) {
  if (const Scan* scan = catalog.find(word)) return {scan};
  const std::string other = word.ends_with(kSuffix) ? std::string(without_suffix(word))
                                                    : std::string(word).append(kSuffix);
  if (const Scan* scan = catalog.find(other)) return {scan};
  const std::string pattern(word);
  std::vector<const Scan*> matches;
  for (const Scan& scan : catalog.scans) {
    const std::string bare(without_suffix(scan.name));
    if (::fnmatch(pattern.c_str(), scan.name.c_str(), 0) == 0 ||
        ::fnmatch(pattern.c_str(), bare.c_str(), 0) == 0) {
      matches.push_back(&scan);
    }
  }
  return matches;
}

std::vector<DiskMetadata> read_metadata(const Catalog& catalog) {
  std::vector<DiskMetadata> metadata;
  metadata.reserve(catalog.disks.size());
  for (const Disk& disk : catalog.disks) {
    metadata.push_back(disk.meta_directory ? read_disk_metadata(*disk.meta_directory)
                                           : DiskMetadata{});
  }
  return metadata;
}

}  // namespace mark6
