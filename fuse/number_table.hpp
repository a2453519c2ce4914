// SPDX-License-Identifier: MIT
// What the kernel holds open, by the number it was given (fuse_file_info.fh). A number that the
// kernel gives back wrongly finds nothing, instead of memory that is gone.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <unordered_map>
#include <utility>

namespace mark6 {

template <class Open>
class NumberTable {
 public:
  using Pointer = std::shared_ptr<Open>;

  /// The number under which `open` is found from now on.
  std::uint64_t add(Pointer open) {
    const std::lock_guard lock(mutex_);
    open_.emplace(next_, std::move(open));
    return next_++;
  }
  /// nullptr when there is none of that number.
  [[nodiscard]] Pointer find(std::uint64_t number) const {
    const std::lock_guard lock(mutex_);
    const auto place = open_.find(number);
    return place == open_.end() ? nullptr : place->second;
  }
  void replace(std::uint64_t number, Pointer open) {
    const std::lock_guard lock(mutex_);
    const auto place = open_.find(number);
    if (place != open_.end()) place->second.swap(open);
  }
  /// It lives on while others share it.
  void remove(std::uint64_t number) {
    Pointer removed;  // let go of behind the lock
    const std::lock_guard lock(mutex_);
    const auto place = open_.find(number);
    if (place == open_.end()) return;
    removed = std::move(place->second);
    open_.erase(place);
  }
  /// Forgets those that the kernel will not close any more.
  void clear() {
    std::unordered_map<std::uint64_t, Pointer> all;  // let go of behind the lock
    const std::lock_guard lock(mutex_);
    all.swap(open_);
  }
  [[nodiscard]] std::size_t size() const {
    const std::lock_guard lock(mutex_);
    return open_.size();
  }

 private:
  mutable std::mutex mutex_;
  std::unordered_map<std::uint64_t, Pointer> open_;
  std::uint64_t next_ = 1;
};

}  // namespace mark6
