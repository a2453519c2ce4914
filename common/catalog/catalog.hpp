// SPDX-License-Identifier: MIT
// What is in the modules: disks, and the scans whose fragments lie on them. A catalog knows names
// and paths only; it opens no fragment (scan_opener.hpp does).
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "common/base/environment.hpp"
#include "common/base/error.hpp"
#include "common/base/units.hpp"
#include "common/catalog/metadata.hpp"
#include "common/os/file.hpp"

namespace mark6 {

/// One disk directory (module/disk), e.g. /mnt/disks/1/4.
struct Disk {
  std::string module;     ///< "1", by the name of the directory above; "" where there is none
  std::string name;       ///< "4"
  std::string directory;  ///< where its fragments lie (with data/ where that exists)
  std::optional<std::string> meta_directory;

  /// "1/4", or "4" without a module.
  [[nodiscard]] std::string label() const { return module.empty() ? name : module + "/" + name; }
};

/// One fragment file of a scan.
struct FragmentPath {
  std::string path;
  DiskIndex disk;  ///< place in Catalog::disks
  std::uint64_t size_bytes = 0;
  std::int64_t mtime_s = 0;
  bool is_symlink = false;
  FileIdentity identity{};  ///< of the file when the catalog was made
};

/// All files of one name.
struct Scan {
  std::string name;                     ///< the file name, as it stands on the disks
  std::vector<FragmentPath> fragments;  ///< in the order of the disks
};

struct Catalog {
  std::vector<Disk> disks;            ///< in natural order of module and name ("2" before "10")
  std::vector<Scan> scans;            ///< sorted by name (bytes)
  std::vector<std::string> problems;  ///< what could not be read, for an operator (escaped)

  /// The scan of exactly this file name, or nullptr.
  [[nodiscard]] const Scan* find(std::string_view name) const;
  [[nodiscard]] std::vector<std::string> scan_names() const;
};

/// Where to look: globs of disk directories, and the metadata root.
struct CatalogSources {
  std::vector<std::string> disk_globs;
  std::optional<std::string> meta_root;

  /// `sources` as given by the user, else MARK6_ROOT, else /mnt/disks/*/*; MARK6_META_ROOT.
  static CatalogSources from(const std::vector<std::string>& sources,
                             const Environment& environment);
};

/// Looks for disks and scans. A glob may name disk directories (/mnt/disks/1/*), their data
/// directories (/mnt/disks/1/*/data), or both. lost+found, cull, data-die* and names that start
/// with a dot are not scans. Errors: kNotFound when no glob matches a directory.
Result<Catalog> discover(const CatalogSources& sources);

/// The catalog of a list of fragment files: each file becomes a fragment of the scan of its name,
/// on the disk of its directory. Errors: kNotFound, kBadFormat (a directory).
Result<Catalog> catalog_of_files(const std::vector<std::string>& paths);

/// The scans that `word` means: a scan of exactly this name; else with or without ".vdif"; else,
/// as a pattern (fnmatch), all that fit. Never an error: none fits gives an empty list.
std::vector<const Scan*> match_scans(const Catalog& catalog, std::string_view word);

/// Metadata of all disks of `catalog`, in its order (empty where there is no meta directory).
std::vector<DiskMetadata> read_metadata(const Catalog& catalog);

}  // namespace mark6
