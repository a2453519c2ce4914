// SPDX-License-Identifier: MIT
// The modules in view: which disks each has, by its directories and by its metadata, and with which
// other modules it was recorded. Tells which fragments of a scan one would expect and does not
// find.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "common/catalog/catalog.hpp"
#include "common/catalog/metadata.hpp"

namespace mark6 {

/// What one would expect of a scan and does not find.
struct Absent {
  std::vector<std::string> disks;    ///< "1/4": of a module in view, without a fragment
  std::vector<std::string> modules;  ///< serial numbers (MSN) of its group that are not in view
};

class ModuleView {
 public:
  /// `metadata` is that of the disks of `catalog`, in its order.
  ModuleView(const Catalog& catalog, const std::vector<DiskMetadata>& metadata);

  /// Looks at the modules that hold `scan`, and at those that were recorded together with them.
  [[nodiscard]] Absent absent(const Scan& scan) const;

 private:
  struct Module {
    std::string name;
    std::string directory;
    std::vector<std::string> disks;  ///< names, in natural order
    std::string msn;
    std::vector<std::string> group;  ///< serial numbers, its own included
    std::size_t disks_by_metadata = 0;
  };

  std::vector<Module> modules_;
  std::vector<std::size_t> module_of_disk_;
  std::vector<std::string> disk_names_;

  Module& module_at(const Disk& disk);
  static void add_disks_by_metadata(Module& module);
};

}  // namespace mark6
