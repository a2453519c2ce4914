// SPDX-License-Identifier: MIT
#include "common/read/buffer_pool.hpp"

#include <unistd.h>

#include <algorithm>
#include <iterator>

namespace mark6 {
namespace {

/// Slabs kept for reuse; beyond that the oldest is unmapped. Far more than a window of large
/// blocks needs, and few enough to search one by one.
constexpr std::size_t kMaxSpare = 1024;
/// Kept while nobody reads ahead.
constexpr std::uint64_t kIdleSpareBytes = std::uint64_t{4} << 20;

std::uint64_t physical_memory_bytes() {
  const long pages = ::sysconf(_SC_PHYS_PAGES);
  const long page = ::sysconf(_SC_PAGESIZE);
  return pages > 0 && page > 0
             ? static_cast<std::uint64_t>(pages) * static_cast<std::uint64_t>(page)
             : std::uint64_t{1} << 30;
}

}  // namespace

std::uint64_t default_memory_budget(std::size_t disks, std::uint64_t block_bytes) {
  // Blocks of test recordings are tiny; below this nothing is saved that anyone would notice.
  constexpr std::uint64_t kSmallest = std::uint64_t{64} << 20;
  const std::uint64_t count = std::max<std::uint64_t>(disks, 1);
  const std::uint64_t wanted = std::min(8 * count * block_bytes, physical_memory_bytes() / 4);
  return std::max({wanted, 2 * count * Slab::rounded(block_bytes), kSmallest});
}

bool BufferPool::reserve(std::size_t bytes, bool force) {
  const std::size_t size = Slab::rounded(bytes);
  std::vector<Slab> unmapped;  // destroyed behind the lock
  const std::lock_guard lock(mutex_);
  if (!force && used_bytes_ + size > budget_bytes_) return false;
  used_bytes_ += size;
  peak_bytes_ = std::max(peak_bytes_, used_bytes_);
  // Spare slabs count as well: those that will not be reused by take() make room.
  while (used_bytes_ + spare_bytes_ > std::max(budget_bytes_, used_bytes_) && !spare_.empty() &&
         spare_.front().size() != size) {
    spare_bytes_ -= spare_.front().size();
    unmapped.push_back(std::move(spare_.front()));
    spare_.erase(spare_.begin());
  }
  return true;
}

Result<Slab> BufferPool::take(std::size_t bytes) {
  const std::size_t size = Slab::rounded(bytes);
  {
    const std::lock_guard lock(mutex_);
    for (std::vector<Slab>* list : {&spare_, &empty_}) {
      const auto fits = std::find_if(list->rbegin(), list->rend(),
                                     [size](const Slab& slab) { return slab.size() == size; });
      if (fits == list->rend()) continue;
      Slab slab = std::move(*fits);
      list->erase(std::next(fits).base());
      if (list == &spare_) spare_bytes_ -= size;
      return slab;
    }
  }
  return Slab::allocate(bytes);
}

void BufferPool::cancel(std::size_t bytes) {
  const std::lock_guard lock(mutex_);
  used_bytes_ -= Slab::rounded(bytes);
}

void BufferPool::give_back(Slab slab, bool recycle) {
  const std::size_t size = slab.size();
  const bool renewed = !recycle && slab.renew();
  if (recycle) slab.note_populated(size);
  std::vector<Slab> unmapped;  // destroyed behind the lock
  const std::lock_guard lock(mutex_);
  used_bytes_ -= size;
  // Without a reader that reads ahead, a few slabs serve the random reads.
  const std::uint64_t limit = holders_.empty() ? kIdleSpareBytes : budget_bytes_ - used_bytes_;
  if (renewed && empty_.size() < kMaxSpare) {
    empty_.push_back(std::move(slab));
  } else if (recycle && used_bytes_ <= budget_bytes_ && spare_bytes_ + size <= limit) {
    spare_bytes_ += size;
    spare_.push_back(std::move(slab));
    if (spare_.size() <= kMaxSpare) return;
    spare_bytes_ -= spare_.front().size();
    unmapped.push_back(std::move(spare_.front()));
    spare_.erase(spare_.begin());
  } else {
    unmapped.push_back(std::move(slab));
  }
}

void BufferPool::join(const std::shared_ptr<BufferHolder>& holder) {
  std::vector<std::shared_ptr<BufferHolder>> others;
  std::uint64_t share = 0;
  {
    const std::lock_guard lock(mutex_);
    for (const auto& weak : holders_) {
      if (auto other = weak.lock(); other && other != holder) others.push_back(std::move(other));
    }
    holders_.push_back(holder);
    share = budget_bytes_ / holders_.size();
  }
  for (const auto& other : others) other->shrink_to(share);
}

void BufferPool::leave(const BufferHolder* holder) {
  std::vector<Slab> unmapped;  // destroyed behind the lock
  const std::lock_guard lock(mutex_);
  std::erase_if(holders_, [holder](const std::weak_ptr<BufferHolder>& weak) {
    const auto other = weak.lock();
    return !other || other.get() == holder;
  });
  if (holders_.empty()) {  // nobody reads ahead: an idle mount holds no memory
    unmapped = std::move(spare_);
    std::move(empty_.begin(), empty_.end(), std::back_inserter(unmapped));
    spare_.clear();
    empty_.clear();
    spare_bytes_ = 0;
  }
}

std::uint64_t BufferPool::share_bytes() const {
  const std::lock_guard lock(mutex_);
  return budget_bytes_ / std::max<std::size_t>(holders_.size(), 1);
}

std::uint64_t BufferPool::used_bytes() const {
  const std::lock_guard lock(mutex_);
  return used_bytes_;
}

std::uint64_t BufferPool::peak_bytes() const {
  const std::lock_guard lock(mutex_);
  return peak_bytes_;
}

}  // namespace mark6
