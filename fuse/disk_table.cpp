// SPDX-License-Identifier: MIT
#include "fuse/disk_table.hpp"

#include <algorithm>

namespace mark6 {

DiskIndex DiskTable::index_of(const std::string& directory, const std::string& label) {
  const std::lock_guard lock(mutex_);
  const auto known = indexes_.find(directory);
  if (known != indexes_.end()) return known->second;
  const DiskIndex index(static_cast<std::uint32_t>(std::min(labels_.size(), capacity_ - 1)));
  if (labels_.size() < capacity_) {
    labels_.push_back(label);
  } else {
    labels_.back() += "+" + label;
  }
  indexes_.emplace(directory, index);
  return index;
}

std::string DiskTable::label(DiskIndex disk) const {
  const std::lock_guard lock(mutex_);
  return disk.value < labels_.size() ? labels_[disk.value] : "?";
}

std::size_t DiskTable::size() const {
  const std::lock_guard lock(mutex_);
  return labels_.size();
}

}  // namespace mark6
