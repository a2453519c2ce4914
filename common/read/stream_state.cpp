// SPDX-License-Identifier: MIT
// First what consumers call, then what the reaper calls, then the window.
#include "common/read/stream_state.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <set>
#include <system_error>

#include "common/base/clock.hpp"

namespace mark6 {
namespace {

/// Reads of one consumer may overtake each other on their way through the kernel: so much is kept
/// behind the latest one.
constexpr std::uint64_t kKeepBehindBytes = std::uint64_t{4} << 20;
/// Two reads in a row and so many bytes make a sequential reader.
constexpr std::uint64_t kSequentialBytes = std::uint64_t{64} << 10;
/// Random reads below this size go through the page cache: headers are read again and again.
constexpr std::size_t kSmallReadBytes = std::size_t{512} << 10;

std::size_t count_disks(const StreamSource& source) {
  std::set<DiskIndex> disks;
  for (const StreamFile& file : source.files) disks.insert(file.disk);
  return disks.size();
}

}  // namespace

StreamState::StreamState(ReadEngine& engine, StreamSource source, const ScanStreamOptions& options)
    : engine_(engine),
      source_(std::move(source)),
      index_(*source_.index),
      disks_(count_disks(source_)),
      sequential_(options.sequential),
      end_(std::min(options.end, ScanOffset(index_.size_bytes()))),
      ledger_(engine.disks(), monotonic_ns()),
      position_(options.begin) {}

StreamState::~StreamState() = default;

// ---- consumers ----------------------------------------------------------------------------------

Result<Piece> StreamState::take(std::size_t max_bytes, const std::stop_token& stop) {
  std::unique_lock lock(mutex_);
  if (position_ >= end_) return Piece();
  Chores chores;
  if (!window_open_) open_window(position_, chores);
  pass(position_);
  drop_before(position_, chores);
  extend(chores);
  if (chores.any()) {
    lock.unlock();
    do_chores(chores);
    lock.lock();
  }
  BlockLoad& load = *window_.front();
  std::size_t i = load.read_at(position_);
  if (const LoadRead& head = load.read(i); !head.done) {
    ledger_.waiting_for_disk(head.disk, monotonic_ns());
    taker_waits_ = true;
    const bool arrived = arrived_.wait(lock, stop, [&head] { return head.done; });
    taker_waits_ = false;
    ledger_.working(monotonic_ns());
    if (!arrived) return failure(ErrorCode::kInterrupted, "", "stopped");
  }
  if (load.read(i).error != 0) {
    position_ = load.end();
    return Failure(read_error(load.read(i)));
  }
  ScanOffset until = load.read(i).end;
  while (++i < load.reads() && until - position_ < max_bytes && load.read(i).done &&
         load.read(i).error == 0) {
    until = load.read(i).end;
  }
  const std::size_t length = std::min<std::uint64_t>(until - position_, max_bytes);
  Piece piece(Pin(&load), Bytes(load.address(position_), length), position_);
  position_ = position_ + length;
  delivered_bytes_ += length;
  return piece;
}

bool StreamState::read(ScanOffset offset, std::size_t length, ReadOperation& operation) {
  operation.begin_ = std::min(offset, end_);
  operation.end_ = std::min(offset + length, end_);
  operation.error_ = 0;
  operation.pending_ = 0;
  if (operation.begin_ == operation.end_) {
    operation.bytes_ = 0;
    return true;
  }
  Chores chores;
  bool ready = false;
  {
    const std::lock_guard lock(mutex_);
    if (wants_window(operation.begin_, operation.end_ - operation.begin_, chores)) {
      pass(operation.begin_);
      drop_before(operation.begin_ - std::min(kKeepBehindBytes, operation.begin_.value), chores);
      while (next_ < operation.end_ && extend_by_one(true, chores)) {
      }
      extend(chores);
      attach_to_window(operation);
    } else {
      attach_detached(operation, chores);
    }
    position_ = operation.end_;
    ready = operation.pending_ == 0;
    if (ready) {
      make_ready(operation);
    } else {
      waiting_.push_back(&operation);
      charge_oldest_wait(monotonic_ns());
    }
  }
  // From here on `operation` may be gone already, if it was not ready.
  do_chores(chores);
  return ready;
}

void StreamState::close() {
  Chores chores;
  {
    const std::lock_guard lock(mutex_);
    if (window_open_) drop_window(chores);
  }
  do_chores(chores);
}

std::uint64_t StreamState::delivered_bytes() const {
  const std::lock_guard lock(mutex_);
  return delivered_bytes_;
}

std::uint64_t StreamState::window_bytes() const {
  const std::lock_guard lock(mutex_);
  return window_bytes_;
}

// ---- reads that come back -----------------------------------------------------------------------

void StreamState::read_finished(LoadRead& read, int error) {
  ReadOperation* ready = nullptr;
  {
    const std::lock_guard lock(mutex_);
    read.done = true;
    read.error = error;
    const auto is_ready = [&](ReadOperation* operation) {
      const bool concerned =
          operation->begin_ < read.end && read.begin < operation->end_ &&
          std::any_of(operation->pins_.begin(), operation->pins_.end(),
                      [&read](const Pin& pin) { return pin.load_ == read.load; });
      if (!concerned) return false;
      if (error != 0) operation->error_ = EIO;
      if (--operation->pending_ > 0) return false;
      make_ready(*operation);
      operation->next_ready_ = ready;
      ready = operation;
      return true;
    };
    const auto answered = std::remove_if(waiting_.begin(), waiting_.end(), is_ready);
    if (answered != waiting_.end()) {
      waiting_.erase(answered, waiting_.end());
      charge_oldest_wait(monotonic_ns());
    }
    if (taker_waits_) arrived_.notify_one();
  }
  while (ready != nullptr) {
    ReadOperation* operation = ready;
    ready = operation->next_ready_;
    operation->on_ready();  // `operation` may be gone now
  }
  read.load->release();  // and so may this stream
}

void StreamState::make_ready(ReadOperation& operation) {
  operation.parts_.clear();
  operation.bytes_ = 0;
  if (operation.error_ != 0) return;
  for (const Pin& pin : operation.pins_) {
    const BlockLoad& load = *pin.load_;
    const ScanOffset begin = std::max(operation.begin_, load.begin());
    const ScanOffset end = std::min(operation.end_, load.end());
    operation.parts_.push_back({load.address(begin), end - begin});
    operation.bytes_ += end - begin;
  }
  delivered_bytes_ += operation.bytes_;
}

void StreamState::charge_oldest_wait(std::int64_t now_ns) {
  if (waiting_.empty()) return ledger_.waiting_for_sink(now_ns);
  const ReadOperation& oldest = *waiting_.front();
  for (const Pin& pin : oldest.pins_) {
    BlockLoad& load = *pin.load_;
    for (std::size_t i = 0; i < load.reads(); ++i) {
      const LoadRead& read = load.read(i);
      if (!read.done && oldest.begin_ < read.end && read.begin < oldest.end_) {
        return ledger_.waiting_for_disk(read.disk, now_ns);
      }
    }
  }
}

void StreamState::take_back(BlockLoad& load, Slab slab, bool given_to_pipe) {
  if (slab.data() != nullptr) {
    engine_.pool().give_back(std::move(slab), !given_to_pipe);
  } else {
    engine_.pool().cancel(load.memory_bytes());
  }
  const std::lock_guard lock(mutex_);
  load.next_to_release = spare_;
  spare_ = &load;
}

Error StreamState::read_error(const LoadRead& read) const {
  const auto& extent = index_.extents()[index_.find(read.begin)];
  const StreamFile& file = source_.files[extent.fragment().value];
  Error error;
  error.code = ErrorCode::kIo;
  error.path = file.path;
  error.errno_value = read.error;
  error.found =
      read.error == ENODATA
          ? fmt::format("the file has become shorter than byte {}", read.offset + read.needed)
          : fmt::format("cannot read {} bytes at byte {} (block {}): {}", read.length, read.offset,
                        extent.number.value, std::generic_category().message(read.error));
  return error;
}

// ---- work without the mutex ---------------------------------------------------------------------

void StreamState::do_chores(Chores& chores) {
  while (BlockLoad* load = chores.start.pop()) start(*load);
  while (BlockLoad* load = chores.release.pop()) load->release();
  // Both: the window was opened anew elsewhere; the pool need not know.
  if (chores.join && !chores.leave) engine_.pool().join(shared_from_this());
  if (chores.leave && !chores.join) engine_.pool().leave(this);
  chores.join = chores.leave = false;
}

void StreamState::start(BlockLoad& load) {
  auto slab = engine_.pool().take(load.memory_bytes());
  const std::size_t count = load.reads();
  for (std::size_t i = 0; i < count; ++i) load.reference();
  if (slab) {
    load.attach(std::move(*slab));
    for (std::size_t i = 0; i + 1 < count; ++i) {
      ReadEngine::chain(load.read(i), load.read(i + 1));
    }
    engine_.submit(&load.read(0), &load.read(count - 1));
  } else {
    for (std::size_t i = 0; i < count; ++i) read_finished(load.read(i), ENOMEM);
  }
  load.release();
}

// ---- the window; all with the mutex held --------------------------------------------------------

BlockLoad& StreamState::new_load(std::size_t extent, ScanOffset begin, ScanOffset end, bool direct,
                                 Chores& chores) {
  if (spare_ == nullptr) {
    loads_.push_back(std::make_unique<BlockLoad>());
    spare_ = loads_.back().get();
  }
  BlockLoad& load = *spare_;
  spare_ = load.next_to_release;
  const sg::Extent& place = index_.extents()[extent];
  load.describe_reads(shared_from_this(), place, source_.files[place.fragment().value], begin, end,
                      direct);
  load.reference();  // of the list of loads to start
  chores.start.push(load);
  return load;
}

ScanOffset StreamState::part_end(std::size_t extent, ScanOffset begin) const {
  const sg::Extent& whole = index_.extents()[extent];
  // Equal parts, so that a block of 33 MB does not end with a part of a few kB.
  const std::uint64_t parts =
      (whole.length + BlockLoad::kMaxPayloadBytes - 1) / BlockLoad::kMaxPayloadBytes;
  const std::uint64_t part = (whole.length + parts - 1) / parts;
  const std::uint64_t which = (begin - whole.scan_offset) / part;
  return std::min({whole.scan_offset + (which + 1) * part, whole.scan_end(), end_});
}

void StreamState::open_window(ScanOffset at, Chores& chores) {
  window_open_ = true;
  next_ = at;
  next_extent_ = index_.find(at);
  misses_ = 0;
  target_bytes_ = sequential_ ? engine_.pool().budget_bytes()
                              : disks_ * Slab::rounded(index_.largest_extent_bytes());
  chores.join = true;
}

void StreamState::drop_window(Chores& chores) {
  for (BlockLoad* load : window_) {
    if (!load->pinned()) load->cancel();
    chores.release.push(*load);
  }
  window_.clear();
  window_bytes_ = behind_bytes_ = 0;
  behind_loads_ = 0;
  window_open_ = false;
  chores.leave = true;
}

void StreamState::pass(ScanOffset offset) {
  while (behind_loads_ < window_.size() && window_[behind_loads_]->end() <= offset) {
    behind_bytes_ += Slab::rounded(window_[behind_loads_++]->memory_bytes());
    target_bytes_ = std::min(2 * target_bytes_, engine_.pool().budget_bytes());
  }
}

void StreamState::drop_before(ScanOffset offset, Chores& chores) {
  while (behind_loads_ > 0 && window_.front()->end() <= offset) drop_front(chores);
}

void StreamState::drop_front(Chores& chores) {
  const std::uint64_t size = Slab::rounded(window_.front()->memory_bytes());
  window_bytes_ -= size;
  behind_bytes_ -= size;
  --behind_loads_;
  chores.release.push(*window_.front());
  window_.pop_front();
}

bool StreamState::extend_by_one(bool force, Chores& chores) {
  if (next_ >= end_) return false;
  const sg::Extent& extent = index_.extents()[next_extent_];
  const ScanOffset end = part_end(next_extent_, next_);
  const std::size_t memory = BlockLoad::memory_for(extent, source_.files[extent.fragment().value],
                                                   next_, end, /*direct=*/true);
  const std::uint64_t size = Slab::rounded(memory);
  const std::uint64_t limit = std::min(target_bytes_, engine_.pool().share_bytes());
  if (!force && window_bytes_ - behind_bytes_ + size > limit) return false;
  if (!engine_.pool().reserve(memory, force)) return false;
  BlockLoad& load = new_load(next_extent_, next_, end, /*direct=*/true, chores);
  load.reference();  // of the window
  window_.push_back(&load);
  window_bytes_ += size;
  next_ = end;
  if (next_ == extent.scan_end()) ++next_extent_;
  return true;
}

void StreamState::extend(Chores& chores) {
  // The head may always be read, whatever the budget says.
  while (extend_by_one(behind_loads_ == window_.size(), chores)) {
  }
}

void StreamState::shrink_to(std::uint64_t bytes) {
  Chores chores;
  {
    const std::lock_guard lock(mutex_);
    while (behind_loads_ > 0 && !window_.front()->pinned()) drop_front(chores);
    while (window_.size() > behind_loads_ + 1 && window_bytes_ > bytes &&
           !window_.back()->pinned()) {
      BlockLoad& load = *window_.back();
      window_.pop_back();
      window_bytes_ -= Slab::rounded(load.memory_bytes());
      load.cancel();
      chores.release.push(load);
      next_ = load.begin();
      next_extent_ = index_.find(next_);
    }
  }
  do_chores(chores);
}

bool StreamState::wants_window(ScanOffset offset, std::size_t length, Chores& chores) {
  if (window_open_ && !window_.empty() && window_.front()->begin() <= offset && offset <= next_) {
    misses_ = 0;
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
  if (sequential) open_window(offset, chores);
  return sequential;
}

void StreamState::attach_to_window(ReadOperation& operation) {
  for (BlockLoad* load : window_) {
    if (load->begin() >= operation.end_) break;
    if (load->end() > operation.begin_) attach(operation, *load);
  }
}

void StreamState::attach_detached(ReadOperation& operation, Chores& chores) {
  const bool direct = operation.end_ - operation.begin_ >= kSmallReadBytes;
  std::size_t extent = index_.find(operation.begin_);
  for (ScanOffset at = operation.begin_; at < operation.end_;) {
    const ScanOffset end = std::min(part_end(extent, at), operation.end_);
    BlockLoad& load = new_load(extent, at, end, direct, chores);
    engine_.pool().reserve(load.memory_bytes(), /*force=*/true);
    attach(operation, load);
    if (end == index_.extents()[extent].scan_end()) ++extent;
    at = end;
  }
}

void StreamState::attach(ReadOperation& operation, BlockLoad& load) {
  operation.pins_.emplace_back(&load);
  for (std::size_t i = 0; i < load.reads(); ++i) {
    const LoadRead& read = load.read(i);
    if (read.end <= operation.begin_ || operation.end_ <= read.begin) continue;
    if (!read.done) {
      ++operation.pending_;
    } else if (read.error != 0) {
      operation.error_ = EIO;
    }
  }
}

}  // namespace mark6
