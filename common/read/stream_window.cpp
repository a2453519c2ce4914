// SPDX-License-Identifier: MIT
// The window: loads of a range of the scan without gaps, over all disks, read soonest-needed-first
// because they are started in scan order. All with the mutex held.
#include <algorithm>
#include <utility>

#include "common/base/clock.hpp"
#include "common/read/stream_state.hpp"

namespace mark6 {
namespace {

/// Two reads in a row and so many bytes make a sequential reader.
constexpr std::uint64_t kSequentialBytes = std::uint64_t{64} << 10;

/// How far ahead of a reader, in units of what it has read in a row. Whoever reads a few MB here
/// and there costs the disks a few times that; after 20 MB in a row all disks are at work.
constexpr std::uint64_t kAheadOfRun = 16;

/// What disks in memory do not take for a read, whatever the processor's load, and disks that turn
/// always do.
constexpr std::int64_t kPatienceNs = 2'000'000;

std::uint64_t slab_bytes(const BlockLoad& load) { return Slab::rounded(load.memory_bytes()); }

}  // namespace

/// A load of [begin, end), on the list of loads that get memory.
BlockLoad& StreamState::new_load(ScanOffset begin, ScanOffset end, Chores& chores) {
  if (spare_ == nullptr) {
    loads_.push_back(std::make_unique<BlockLoad>());
    loads_.back()->next_to_release = nullptr;
    spare_ = loads_.back().get();
  }
  BlockLoad& load = *spare_;
  spare_ = load.next_to_release;
  load.open(shared_from_this(), begin, end);
  load.reference();  // of the list
  chores.start.push(load);
  return load;
}

/// Where the load that begins at `begin` ends: equal parts, so that a block of 33 MB does not end
/// with a part of a few kB.
ScanOffset StreamState::part_end(const sg::Extent& block, ScanOffset begin) const {
  constexpr std::uint64_t kMost = BlockLoad::kMaxPayloadBytes - kLargestPacketBytes;
  const std::uint64_t parts = (block.length + kMost - 1) / kMost;
  std::uint64_t part = (block.length + parts - 1) / parts;
  // No packet lies in two parts: it is delivered whole, or not at all.
  if (packet_bytes_ != 0) part = (part + packet_bytes_ - 1) / packet_bytes_ * packet_bytes_;
  const std::uint64_t which = (begin - block.scan_offset) / part;
  return std::min({block.scan_offset + (which + 1) * part, block.scan_end(), end_});
}

void StreamState::open_window(ScanOffset at, Chores& chores) {
  window_open_ = true;
  next_ = at;
  next_block_ = index_.find(at);
  misses_ = 0;
  opened_ns_ = monotonic_ns();
  waited_ns_ = 0;
  reach_bytes_ = std::min(first_reach_bytes_, all_disks_bytes());
  target_bytes_ = sequential_ ? reach_bytes_ : 0;
  std::fill(has_read_.begin(), has_read_.end(), false);
  std::fill(given_bytes_.begin(), given_bytes_.end(), 0);
  given_total_bytes_ = 0;
  chores.join = true;
  if (placer_) seek_cursors(chores);
}

/// Three blocks of each disk: what the placement of recorders needs to keep all disks busy. (16
/// disks of 60 MB/s, medians of 9 runs in turn: 858 MB/s with two blocks each, 882 with three or
/// with four, of the 884 that `dd` of all fragments reads.)
std::uint64_t StreamState::all_disks_bytes() const {
  return 3 * disks_ * Slab::rounded(BlockLoad::memory_for(index_.largest_extent_bytes()));
}

/// Whether there are disks to be had that do nothing yet.
bool StreamState::may_reach_further() const {
  return window_open_ && reach_bytes_ < all_disks_bytes() && next_ < end_;
}

/// A read has come back. Disks that are as fast as the consumer (in memory, in the page cache) need
/// no long window: a short one stays in the processor's cache, and costs no fresh memory. But when
/// a consumer has waited for this read, which was the disk's time and not ours, and does so for an
/// eighth of its time or more, then all disks are to be put to work, soon.
void StreamState::note_arrival(const LoadRead& read, Chores& chores) {
  if (read.service_ns() < kPatienceNs || !may_reach_further()) return;
  std::int64_t since = 0;
  if (taker_since_ns_ != 0 && read.begin <= position_ && position_ < read.end) {
    since = taker_since_ns_;
  } else if (!waiting_.empty() && waiting_.front()->begin_ < read.end &&
             read.begin < waiting_.front()->end_) {
    since = waiting_.front()->since_ns_;
  }
  if (since == 0) return;
  const std::int64_t now = monotonic_ns();
  waited_ns_ += std::min(now - since, read.service_ns());
  const std::int64_t patience = std::max(kPatienceNs, (now - opened_ns_) / 8);
  if (waited_ns_ < patience) return;
  for (; waited_ns_ >= patience && may_reach_further(); waited_ns_ -= patience) {
    reach_bytes_ = std::min(2 * reach_bytes_, all_disks_bytes());
  }
  waited_ns_ = 0;
  opened_ns_ = now;
  if (!sequential_) return;  // the next read() makes the window longer
  target_bytes_ = std::max(target_bytes_, reach_bytes_);
  extend(chores);
}

void StreamState::drop_window(Chores& chores) {
  for (BlockLoad* load : window_) {
    if (!load->pinned()) load->cancel();
    if (!load->pinned() || load->placed() || load->failure != 0) {
      chores.release.push(*load);
    } else {  // an operation waits for it: without a window it is searched by itself
      load->next_to_release = std::exchange(chores.search_for, load);
    }
  }
  window_.clear();
  window_bytes_ = behind_bytes_ = 0;
  behind_loads_ = prepared_loads_ = 0;
  window_open_ = false;
  chores.leave = true;
}

void StreamState::pass(ScanOffset offset) {
  while (behind_loads_ < window_.size() && window_[behind_loads_]->end() <= offset) {
    behind_bytes_ += slab_bytes(*window_[behind_loads_++]);
  }
}

/// The consumer waits for `load`. If its disk had stood idle before, because the window did not
/// reach to its block, the window was too short: it grows. If the disk has been given clearly more
/// than the others lately, these had nothing to do because of the window: it doubles, as blocks lie
/// by chance and a longer window evens that out. A disk that is only slow is no reason: no window
/// makes it faster, and memory that is not touched costs nothing.
void StreamState::note_wait(BlockLoad& load) {
  if (may_reach_further()) return;
  const std::uint64_t budget = engine_.pool().budget_bytes();
  if (load.placed() && is_crowded(load.read(0).disk)) {
    target_bytes_ = std::min(2 * target_bytes_, budget);
    std::fill(given_bytes_.begin(), given_bytes_.end(), 0);
    given_total_bytes_ = 0;
  } else if (load.late) {
    target_bytes_ = std::min(target_bytes_ + target_bytes_ / 8 + slab_bytes(load), budget);
  }
}

/// Counts what disks were given to read, the last two windows or so of it.
void StreamState::note_given(const BlockLoad& load, DiskIndex disk) {
  const std::uint64_t bytes = load.end() - load.begin();
  given_bytes_[disk.value] += bytes;
  given_total_bytes_ += bytes;
  if (given_total_bytes_ <= 2 * target_bytes_) return;
  given_total_bytes_ = 0;
  for (std::uint64_t& given : given_bytes_) given_total_bytes_ += given /= 2;
}

/// Whether `disk` was given half as much again as disks are on average, and not one block only.
bool StreamState::is_crowded(DiskIndex disk) const {
  const std::uint64_t given = given_bytes_[disk.value];
  return given * disks_ > given_total_bytes_ + given_total_bytes_ / 2 &&
         given > index_.largest_extent_bytes();
}

/// Reads may overtake each other by far (the kernel reads ahead for several readers at once): a
/// load that one of them waits for stays until it is placed, since only loads of the window are.
void StreamState::drop_before(ScanOffset offset, Chores& chores) {
  const auto waits_for_place = [](const BlockLoad& load) {
    return load.pinned() && !load.placed() && load.failure == 0;
  };
  while (behind_loads_ > 0 && window_.front()->end() <= offset &&
         !waits_for_place(*window_.front())) {
    drop_front(chores);
  }
}

void StreamState::drop_front(Chores& chores) {
  const std::uint64_t size = slab_bytes(*window_.front());
  window_bytes_ -= size;
  behind_bytes_ -= size;
  --behind_loads_;
  if (prepared_loads_ > 0) --prepared_loads_;
  chores.release.push(*window_.front());
  window_.pop_front();
}

bool StreamState::extend_by_one(bool force, Chores& chores) {
  if (next_ >= end_) return false;
  const sg::Extent block = index_.block(next_block_);
  const ScanOffset end = part_end(block, next_);
  const std::size_t memory = BlockLoad::memory_for(end - next_);
  const std::uint64_t size = Slab::rounded(memory);
  const std::uint64_t limit = std::min(target_bytes_, engine_.pool().share_bytes());
  if (!force && window_bytes_ - behind_bytes_ + size > limit) return false;
  if (!engine_.pool().reserve(memory, force)) return false;
  BlockLoad& load = new_load(next_, end, chores);
  load.reference();  // of the window
  window_.push_back(&load);
  window_bytes_ += size;
  if (!placer_) {
    place(load, LoadPlace{.extent = block}, chores);
  } else if (grid_error_ != 0) {
    fail(load, grid_error_, chores);
  }
  next_ = end;
  if (next_ == block.scan_end()) ++next_block_;
  return true;
}

void StreamState::extend(Chores& chores) {
  // The head may always be read, whatever the budget says.
  while (extend_by_one(behind_loads_ == window_.size(), chores)) {
  }
  if (placer_) place_by_cursors(chores);
}

void StreamState::shrink_to(std::uint64_t bytes) {
  Chores chores;
  {
    const std::lock_guard lock(mutex_);
    while (behind_loads_ > 0 && !window_.front()->pinned()) drop_front(chores);
    bool shrunk = false;
    while (window_.size() > behind_loads_ + 1 && window_bytes_ > bytes &&
           !window_.back()->pinned()) {
      BlockLoad& load = *window_.back();
      window_.pop_back();
      prepared_loads_ = std::min(prepared_loads_, window_.size());
      window_bytes_ -= slab_bytes(load);
      load.cancel();
      chores.release.push(load);
      next_ = load.begin();
      next_block_ = index_.find(next_);
      shrunk = true;
    }
    // Cursors may have gone beyond what was let go of.
    if (shrunk && placer_) seek_cursors(chores);
  }
  do_chores(chores);
}

/// Whether a read is served by the window; opens and closes it as the consumer's habits change.
bool StreamState::wants_window(ScanOffset offset, std::size_t length, Chores& chores) {
  if (window_open_ && !window_.empty() && window_.front()->begin() <= offset && offset <= next_) {
    misses_ = 0;
    run_bytes_ += length;
    target_bytes_ = std::max(target_bytes_, std::min(kAheadOfRun * run_bytes_, reach_bytes_));
    return true;
  }
  if (offset == position_) {
    ++run_reads_;
    run_bytes_ += length;
  } else {
    run_reads_ = 1;
    run_bytes_ = length;
  }
  const bool sequential = run_reads_ >= 2 && run_bytes_ >= kSequentialBytes;
  if (window_open_ && (sequential || ++misses_ >= 2)) drop_window(chores);
  if (sequential) {
    open_window(offset, chores);
    target_bytes_ = std::min(kAheadOfRun * run_bytes_, reach_bytes_);
  }
  return sequential;
}

}  // namespace mark6
