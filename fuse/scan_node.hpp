// SPDX-License-Identifier: MIT
// One scan of the mount, for as long as the mount lives. Name and inode number never change; what
// is learnt about it is kept by the ScanShelf, under the shelf's lock.
#pragma once

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

 private:
  friend class ScanShelf;

  const std::uint64_t inode_;
  const ScanFacts facts_;

  // Guarded by the shelf's mutex.
  std::shared_ptr<const ScanAttributes> attributes_;  ///< once known, for ever
  std::shared_ptr<const IndexedScan> index_;          ///< may be dropped to save memory
  std::weak_ptr<const OpenFiles> files_;              ///< alive while somebody reads
  bool walking_ = false;                              ///< the ScanOpener has it
  bool opening_ = false;                              ///< a helper opens its files
  std::uint64_t last_use_ = 0;
  std::vector<OnAttributes> wait_for_attributes_;
  std::vector<OnFiles> wait_for_files_;
};

using ScanNodePtr = std::shared_ptr<ScanNode>;

}  // namespace mark6
