// SPDX-License-Identifier: MIT
// What is known of a scan, in three steps: its names and places (ScanFacts, from the catalog), what
// stat() and getfattr show (ScanAttributes, once it was walked), and what a reader needs
// (IndexedScan, and OpenFiles while somebody reads).
#pragma once

#include <sys/stat.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "common/catalog/catalog.hpp"
#include "common/catalog/scan_opener.hpp"
#include "common/os/file.hpp"
#include "common/read/scan_stream.hpp"
#include "common/sg/scan_index.hpp"
#include "fuse/disk_table.hpp"

namespace mark6 {

/// A scan before it is opened. The disks of its fragments are those of the DiskTable.
struct ScanFacts {
  Scan scan;
  std::string modules;                   ///< "1,2"
  std::vector<std::string> disk_labels;  ///< "1/4", by fragment
  std::string absent_disks;              ///< "1/5,1/7": of its modules, without a fragment of it
  std::optional<double> recorded_start;  ///< s since 1970, from slist

  /// Whether the same files make it up, unchanged: device, inode, size, and times in ns.
  [[nodiscard]] bool same_files(const ScanFacts& other) const;
  /// When the youngest of its files changed, in ns since 1970.
  [[nodiscard]] std::int64_t changed_ns() const;
  /// Sum of the fragments' sizes: close to the scan's, before it is known.
  [[nodiscard]] std::uint64_t fragment_bytes() const;
};

/// What a user can ask about a scan without reading it. Immutable.
struct ScanAttributes {
  struct stat status {};
  std::vector<std::pair<std::string, std::string>> xattrs;  ///< name and value
  std::vector<std::string> problems;  ///< fragments that are of no use, and why
  bool complete = true;               ///< nothing is missing or damaged
  bool readable = true;               ///< false: no fragment could be opened
};

/// What the files of a scan were at one moment; absent where one could not be opened.
using FileStates = std::vector<std::optional<FileIdentity>>;

/// A scan that was walked, its files closed again. Immutable.
struct IndexedScan {
  sg::ScanIndex index;
  std::vector<FragmentPath> fragments;
  FileStates identities;       ///< of each file when it was walked
  std::int64_t walked_ns = 0;  ///< when that was, by the monotonic clock

  [[nodiscard]] std::uint64_t memory_bytes() const;
};

/// A scan with its files open, for as long as somebody reads it. Immutable.
struct OpenFiles {
  std::shared_ptr<const IndexedScan> scan;
  std::vector<std::optional<DataFile>> files;  ///< by FragmentIndex
};

/// What stat() and getfattr show of `opened`, under the inode number `inode`.
ScanAttributes attributes_of(const OpenedScan& opened, const ScanFacts& facts, ino_t inode);

/// What stays of `opened` when its files are closed.
IndexedScan indexed(const OpenedScan& opened);

/// Whether `states` are what `facts` said, but that files may have grown: nothing else is amiss.
bool are_as_told(const FileStates& states, const ScanFacts& facts);

/// What the files of `facts` are now. May wait for disks.
FileStates states_now(const ScanFacts& facts);

/// Opens the files of `scan` again. May wait for disks. A file that has grown in the few seconds
/// since it was walked is given as it was then: a recording goes on. Errors: those of
/// DataFile::open; kBadFormat with ESTALE in errno_value when a file is not what it was.
Result<OpenFiles> open_files(const std::shared_ptr<const IndexedScan>& scan);

/// The scan as a ScanStream wants it.
StreamSource stream_source(const std::shared_ptr<const OpenFiles>& files);

/// Looks for disks, scans and metadata; may wait for disks. Errors: those of discover().
Result<std::vector<ScanFacts>> find_scans(const CatalogSources& sources, DiskTable& disks,
                                          std::vector<std::string>& disk_directories);

}  // namespace mark6
