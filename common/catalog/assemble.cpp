// SPDX-License-Identifier: MIT
#include "common/catalog/assemble.hpp"

#include <algorithm>
#include <filesystem>
#include <map>
#include <tuple>
#include <utility>

#include "common/catalog/natural_order.hpp"

namespace mark6 {
namespace {

namespace fs = std::filesystem;

/// `path` from the root on, without ".", ".." and a slash at the end. Symbolic links stay: in an
/// off-module copy their names say which module it was.
fs::path absolute_of(const std::string& path) {
  std::error_code ignored;
  fs::path absolute = fs::absolute(path, ignored).lexically_normal();
  return absolute.has_filename() ? absolute : absolute.parent_path();
}

bool disk_less(const FoundDisk& a, const FoundDisk& b) {
  if (a.disk.module != b.disk.module) return natural_less(a.disk.module, b.disk.module);
  if (a.disk.name != b.disk.name) return natural_less(a.disk.name, b.disk.name);
  return natural_less(a.disk.directory, b.disk.directory);
}

}  // namespace

std::optional<struct stat> directory_status(const std::string& path) {
  struct stat status {};
  if (::stat(path.c_str(), &status) != 0 || !S_ISDIR(status.st_mode)) return std::nullopt;
  return status;
}

Disk disk_of_directory(const std::string& directory, const std::optional<std::string>& meta_root) {
  fs::path home = absolute_of(directory);
  if (home.filename() == kDataDirectory) home = home.parent_path();
  Disk disk;
  disk.directory = directory;
  disk.name = home.filename();
  disk.module = home.parent_path().filename();
  const fs::path root =
      meta_root ? fs::path(*meta_root) : home.parent_path().parent_path() / ".meta";
  std::string meta = (disk.module.empty() ? root / disk.name : root / disk.module / disk.name);
  if (directory_status(meta)) disk.meta_directory = std::move(meta);
  return disk;
}

Catalog assemble(std::vector<FoundDisk> found, std::vector<std::string> problems) {
  std::stable_sort(found.begin(), found.end(), disk_less);
  Catalog catalog;
  catalog.problems = std::move(problems);
  std::map<std::string, std::vector<FragmentPath>> scans;
  for (FoundDisk& one : found) {
    const DiskIndex index(static_cast<std::uint32_t>(catalog.disks.size()));
    for (FoundFile& file : one.files) {
      file.fragment.disk = index;
      scans[file.name].push_back(std::move(file.fragment));
    }
    std::move(one.problems.begin(), one.problems.end(), std::back_inserter(catalog.problems));
    catalog.disks.push_back(std::move(one.disk));
  }
  for (auto& [name, fragments] : scans) {
    catalog.scans.push_back(Scan{name, std::move(fragments)});
  }
  return catalog;
}

}  // namespace mark6
