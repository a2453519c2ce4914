// SPDX-License-Identifier: MIT
// The names and inode numbers of the mount: one directory, one file per scan, named as on the
// disks. Inode numbers come from the names, so they are the same at the next mount. Answers from
// memory at once; what the files are is the business of the shelf (scan_shelf.hpp).
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "fuse/scan_node.hpp"

namespace mark6 {

/// The scans at one moment, sorted by name (bytes). Immutable.
using Listing = std::shared_ptr<const std::vector<ScanNodePtr>>;

class Tree {
 public:
  static constexpr std::uint64_t kRootInode = 1;
  /// Inode numbers up to this one are no scan's (info_files.hpp has some of them).
  static constexpr std::uint64_t kLastReservedInode = 15;
  using Hash = std::function<std::uint64_t(std::string_view)>;
  using IsOutdated = std::function<bool(const ScanNodePtr&)>;

  /// `hash` gives inode numbers; another one is for tests only.
  explicit Tree(Hash hash = hash_of_name);

  /// Shows `scans`, as they were at `seen_ns` (since 1970), from now on. A scan whose files are the
  /// same keeps its node, unless `is_outdated` (called without locks); one that changed gets a new
  /// node and inode number, so that nobody mixes old bytes with new ones. Returns the names,
  /// aliases included, that may mean something else than before. By one thread at a time; all other
  /// functions by any.
  std::vector<std::string> update(std::vector<ScanFacts> scans, std::int64_t seen_ns = 0,
                                  const IsOutdated& is_outdated = {});

  /// The scan called `name`; where there is none and `name` is NAME.vdif, the scan NAME (the
  /// recorder writes the suffix, other writers leave it out). nullptr when there is neither.
  [[nodiscard]] ScanNodePtr lookup(std::string_view name) const;
  /// The same, and the kernel knows the node from now on, until it has forgotten it as often.
  [[nodiscard]] ScanNodePtr enter(std::string_view name);
  void forget(std::uint64_t inode, std::uint64_t times);
  /// The node of the inode number that is listed or that the kernel knows; else nullptr.
  [[nodiscard]] ScanNodePtr by_inode(std::uint64_t inode) const;
  /// Whether a name leads to `node` still.
  [[nodiscard]] bool is_listed(const ScanNodePtr& node) const;
  [[nodiscard]] Listing listing() const;

  /// 64 well mixed bits of the name, never a reserved number.
  static std::uint64_t hash_of_name(std::string_view name);

 private:
  std::uint64_t free_inode(const std::string& name) const;
  void list(const Listing& listing);

  const Hash hash_;
  mutable std::mutex mutex_;
  Listing listing_;
  /// Also nodes that no name leads to any more while the kernel may still ask for them.
  std::unordered_map<std::uint64_t, ScanNodePtr> by_inode_;
};

}  // namespace mark6
