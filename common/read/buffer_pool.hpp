// SPDX-License-Identifier: MIT
// The memory budget of a process: slabs for reads are reserved here before they are taken, and
// recycled when their bytes were copied out. Pages that went into a pipe are never used again.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

#include "common/base/error.hpp"
#include "common/os/slab.hpp"

namespace mark6 {

/// Something that holds slabs ahead of need and can let go of them (a stream's window).
class BufferHolder {
 public:
  BufferHolder() = default;
  BufferHolder(const BufferHolder&) = delete;
  BufferHolder& operator=(const BufferHolder&) = delete;
  virtual ~BufferHolder() = default;
  /// Gives back what it can spare above `bytes`. Called without any lock held.
  virtual void shrink_to(std::uint64_t bytes) = 0;
};

/// min(8 blocks per disk, 25 % of RAM), but at least 2 blocks per disk.
std::uint64_t default_memory_budget(std::size_t disks, std::uint64_t block_bytes);

class BufferPool {
 public:
  explicit BufferPool(std::uint64_t budget_bytes) : budget_bytes_(budget_bytes) {}

  /// Counts Slab::rounded(bytes) as in use. False when the budget does not allow it, unless
  /// `force` (the block a consumer waits for may always be read).
  bool reserve(std::size_t bytes, bool force);
  /// A slab for a reservation of the same `bytes`: a recycled one or a new one. On an error the
  /// reservation stays; cancel() ends it.
  Result<Slab> take(std::size_t bytes);
  /// Ends a reservation for which no slab was taken.
  void cancel(std::size_t bytes);
  /// Ends the reservation of `slab`. `recycle`: its bytes were copied out, so its pages may be used
  /// again; otherwise they are let go of, and only the empty mapping is.
  void give_back(Slab slab, bool recycle);

  /// A holder begins to read ahead: from now on the budget is shared with it, and the others are
  /// asked to shrink to their share. leave() ends it. Call both without holding a lock.
  void join(const std::shared_ptr<BufferHolder>& holder);
  void leave(const BufferHolder* holder);
  /// What one holder may have at most: the budget over the number of holders.
  [[nodiscard]] std::uint64_t share_bytes() const;

  [[nodiscard]] std::uint64_t budget_bytes() const { return budget_bytes_; }
  /// Bytes in use now, and the most there ever were.
  [[nodiscard]] std::uint64_t used_bytes() const;
  [[nodiscard]] std::uint64_t peak_bytes() const;

 private:
  mutable std::mutex mutex_;
  const std::uint64_t budget_bytes_;
  std::uint64_t used_bytes_ = 0;
  std::uint64_t spare_bytes_ = 0;
  std::uint64_t peak_bytes_ = 0;
  std::vector<Slab> spare_;  ///< with pages
  std::vector<Slab> empty_;  ///< without: renewed
  std::vector<std::weak_ptr<BufferHolder>> holders_;
};

}  // namespace mark6
