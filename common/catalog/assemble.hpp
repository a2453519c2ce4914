// SPDX-License-Identifier: MIT
// Private to common/catalog: what looking for disks (locate.cpp) and taking a list of files
// (file_catalog.cpp) share, namely naming a disk by its directory and turning disks with their
// files into a Catalog.
#pragma once

#include <sys/stat.h>

#include <compare>
#include <optional>
#include <string>
#include <vector>

#include "common/catalog/catalog.hpp"

namespace mark6 {

/// Tells whether two names lead to the same file or directory.
struct FileKey {
  dev_t device = 0;
  ino_t inode = 0;
  auto operator<=>(const FileKey&) const = default;
};

/// A file found on a disk.
struct FoundFile {
  std::string name;
  FragmentPath fragment;  ///< its disk is filled in by assemble()
};

/// A disk and what was found on it.
struct FoundDisk {
  Disk disk;
  std::vector<FoundFile> files{};
  std::vector<std::string> problems{};
};

inline constexpr const char* kDataDirectory = "data";

/// Status of what `path` leads to, when it is a directory.
std::optional<struct stat> directory_status(const std::string& path);

/// The disk whose fragments lie in `directory`: it is named after the directory, or after the one
/// above when it is called data. Its metadata are looked for in `meta_root`, else beside the
/// modules.
Disk disk_of_directory(const std::string& directory, const std::optional<std::string>& meta_root);

/// The catalog of these disks: disks in natural order, scans by name.
Catalog assemble(std::vector<FoundDisk> found, std::vector<std::string> problems);

}  // namespace mark6
