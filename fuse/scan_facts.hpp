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

  /// Whether the same files make it up, unchanged.
  [[nodiscard]] bool same_files(const ScanFacts& other) const;
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

/// A scan that was walked, its files closed again. Immutable.
struct IndexedScan {
  sg::ScanIndex index;
  std::vector<FragmentPath> fragments;
  /// What each file was when it was walked; absent where it could not be opened.
  std::vector<std::optional<FileIdentity>> identities;

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

/// Opens the files of `scan` again. May wait for disks. Errors: those of DataFile::open;
/// kBadFormat with ESTALE in errno_value when a file is not what it was when it was walked.
Result<OpenFiles> open_files(const std::shared_ptr<const IndexedScan>& scan);

/// The scan as a ScanStream wants it.
StreamSource stream_source(const std::shared_ptr<const OpenFiles>& files);

/// Looks for disks, scans and metadata; may wait for disks. Errors: those of discover().
Result<std::vector<ScanFacts>> find_scans(const CatalogSources& sources, DiskTable& disks,
                                          std::vector<std::string>& disk_directories);

}  // namespace mark6
