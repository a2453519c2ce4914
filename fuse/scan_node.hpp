// SPDX-License-Identifier: MIT
// One scan of the mount, for as long as the mount lives. Name and inode number never change; what
// is learnt about it is kept by the ScanShelf, under the shelf's lock.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "fuse/scan_facts.hpp"

namespace mark6 {

/// Gets the attributes of a scan; nullptr when the mount ends before they are known.
using OnAttributes = std::function<void(std::shared_ptr<const ScanAttributes>)>;
/// Gets the open files of a scan, or nullptr and the errno that says why not.
using OnFiles = std::function<void(std::shared_ptr<const OpenFiles>, int error)>;

class ScanNode {
 public:
  ScanNode(std::uint64_t inode, ScanFacts facts) : inode_(inode), facts_(std::move(facts)) {}

  [[nodiscard]] std::uint64_t inode() const { return inode_; }
  [[nodiscard]] const std::string& name() const { return facts_.scan.name; }
  [[nodiscard]] const ScanFacts& facts() const { return facts_; }

  /// Notes that its files were as facts() say at `ns` (since 1970). Thread-safe.
  void seen_unchanged(std::int64_t ns) { seen_ns_ = ns; }
  /// Whether its files had been left alone for a while when they were last looked at (nobody
  /// records it any more), and were what the catalog said when they were walked.
  [[nodiscard]] bool is_settled() const {
    if (is_strange_) return false;
    constexpr std::int64_t kQuietNs = 30'000'000'000;
    constexpr std::int64_t kNonsenseNs = 86'400'000'000'000;  // a date in the future
    const std::int64_t quiet_ns = seen_ns_ - facts_.changed_ns();
    return quiet_ns > kQuietNs || quiet_ns < -kNonsenseNs;
  }

 private:
  friend class ScanShelf;
  friend class Tree;

  const std::uint64_t inode_;
  const ScanFacts facts_;
  std::atomic<std::int64_t> seen_ns_{0};
  std::atomic<bool> is_strange_{false};  ///< set by the shelf, with strange_

  // Guarded by the tree's mutex.
  std::uint64_t lookups_ = 0;  ///< by which the kernel knows it
  bool is_listed_ = false;     ///< a name leads to it

  // Guarded by the shelf's mutex.
  std::shared_ptr<const ScanAttributes> attributes_;  ///< once known, for ever
  std::shared_ptr<const IndexedScan> index_;          ///< may be dropped to save memory
  std::weak_ptr<const OpenFiles> files_;              ///< alive while somebody reads
  FileStates strange_;    ///< what the walk found, where that was not what the facts told
  bool walking_ = false;  ///< the ScanOpener has it
  bool opening_ = false;  ///< a helper opens its files
  std::uint64_t last_use_ = 0;
  std::vector<OnAttributes> wait_for_attributes_;
  std::vector<OnFiles> wait_for_files_;
};

using ScanNodePtr = std::shared_ptr<ScanNode>;

}  // namespace mark6
