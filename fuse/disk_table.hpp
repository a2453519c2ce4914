// SPDX-License-Identifier: MIT
// One number per disk for as long as the mount lives. A catalog numbers the disks of one look at
// the modules; the reader counts per disk over days, while modules come and go.
#pragma once

#include <cstddef>
#include <mutex>
#include <string>
#include <unordered_map>
#include <vector>

#include "common/base/units.hpp"

namespace mark6 {

class DiskTable {
 public:
  /// `capacity` disks have counters of their own; those beyond it share the last.
  explicit DiskTable(std::size_t capacity) : capacity_(capacity) {}

  /// The number of the disk at `directory`, the same whenever it is asked for. Thread-safe.
  DiskIndex index_of(const std::string& directory, const std::string& label);
  /// "1/4" of a disk numbered before. Thread-safe.
  [[nodiscard]] std::string label(DiskIndex disk) const;
  /// Disks numbered so far. Thread-safe.
  [[nodiscard]] std::size_t size() const;
  [[nodiscard]] std::size_t capacity() const { return capacity_; }

 private:
  const std::size_t capacity_;
  mutable std::mutex mutex_;
  std::unordered_map<std::string, DiskIndex> indexes_;
  std::vector<std::string> labels_;
};

}  // namespace mark6
