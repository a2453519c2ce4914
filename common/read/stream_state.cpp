// SPDX-License-Identifier: MIT
// First what consumers call, then reads that come back, then the work done without the mutex.
#include "common/read/stream_state.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <set>
#include <system_error>
#include <utility>

#include "common/base/clock.hpp"
#include "common/read/place_search.hpp"

namespace mark6 {
namespace {

/// Reads of one consumer may overtake each other on their way through the kernel: so much is kept
/// behind the latest one.
constexpr std::uint64_t kKeepBehindBytes = std::uint64_t{4} << 20;
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
      first_reach_bytes_(options.first_reach_bytes),
      end_(std::min(options.end, ScanOffset(index_.size_bytes()))),
      ledger_(engine.disks(), monotonic_ns()),
      position_(options.begin),
      reads_out_(engine.disks()),
      has_read_(engine.disks()),
      given_bytes_(engine.disks()),
      packet_bytes_(index_.packet_size() <= kLargestPacketBytes ? index_.packet_size() : 0) {
  if (index_.grid() != nullptr) placer_.emplace(index_);
}

StreamState::~StreamState() = default;

// ---- consumers ----------------------------------------------------------------------------------

Result<Piece> StreamState::take(std::size_t max_bytes, const std::stop_token& stop) {
  std::unique_lock lock(mutex_);
  if (position_ >= end_) return Piece();
  Chores chores;
  if (!window_open_) open_window(position_, chores);
  do {  // more than once only behind bytes that were stepped over
    pass(position_);
    drop_before(position_, chores);
    extend(chores);
  } while (window_.front()->end() <= position_);
  if (chores.any()) {
    lock.unlock();
    do_chores(chores);
    lock.lock();
  }
  BlockLoad& load = *window_.front();
  if (!head_end()) {
    note_wait(load);
    ledger_.waiting_for_disk(disk_owing(load, position_), monotonic_ns());
    const bool arrived = wait_for_head(lock, stop);
    ledger_.working(monotonic_ns());
    if (!arrived) return failure(ErrorCode::kInterrupted, "", "stopped");
  }
  if (!load.placed()) return Failure(placing_error(load));
  ScanOffset until = *head_end();
  if (until == position_) return Failure(lose_bad(load));
  if (until - position_ > max_bytes) {
    const ScanOffset packets = packet_floor(load, position_ + max_bytes);
    until = packets > position_ ? packets : position_ + max_bytes;
  }
  const std::size_t length = until - position_;
  Piece piece(Pin(&load), Bytes(load.address(position_), length), position_);
  position_ = position_ + length;
  delivered_bytes_ += length;
  return piece;
}

/// Until take() can say something; false when it is to stop.
bool StreamState::wait_for_head(std::unique_lock<std::mutex>& lock, const std::stop_token& stop) {
  taker_since_ns_ = monotonic_ns();
  while (!head_end() && prepare_memory(lock)) {
  }
  const bool arrived = arrived_.wait(lock, stop, [this] { return head_end().has_value(); });
  taker_since_ns_ = 0;
  return arrived;
}

/// Takes the page faults of 2 MiB that will be read into soon, so that the reaper does not have to,
/// who is all disks' reads. False when there is nothing to be done. The mutex is free meanwhile.
bool StreamState::prepare_memory(std::unique_lock<std::mutex>& lock) {
  constexpr std::size_t kStep = std::size_t{2} << 20;
  const auto is_prepared = [](BlockLoad& load) {
    return !load.attached() || load.slab().populated_bytes() >= load.memory_bytes();
  };
  while (prepared_loads_ < window_.size() && is_prepared(*window_[prepared_loads_])) {
    ++prepared_loads_;
  }
  if (prepared_loads_ == window_.size()) return false;
  BlockLoad& load = *window_[prepared_loads_];
  const std::size_t from = load.slab().populated_bytes();
  load.slab().note_populated(from + kStep);
  load.reference();
  lock.unlock();
  load.slab().populate(from, kStep);
  load.release();
  lock.lock();
  return true;
}

/// How far bytes can be handed out from position_ on: position_ itself where they are bad or will
/// never come, nothing while they must be waited for. A packet of which the end is not there yet is
/// not begun: should it turn out to be bad, all of it has to be left out.
std::optional<ScanOffset> StreamState::head_end() const {
  BlockLoad& load = *window_.front();
  if (!load.placed()) return load.failure != 0 ? std::optional(position_) : std::nullopt;
  ScanOffset until = position_;
  for (std::size_t i = load.read_at(position_); i < load.reads() && load.read(i).done; ++i) {
    const LoadRead& read = load.read(i);
    if (const auto bad = load.bad_in(read, position_, read.end)) {
      return std::max(packet_floor(load, bad->begin), position_);
    }
    until = read.end;
  }
  if (until != load.end()) until = packet_floor(load, until);
  return until > position_ ? std::optional(until) : std::nullopt;
}

/// The last packet of the block of `load` to begin at or before `at` begins here; `at` itself where
/// packets are not known.
ScanOffset StreamState::packet_floor(const BlockLoad& load, ScanOffset at) const {
  if (packet_bytes_ == 0) return at;
  const ScanOffset block = load.where().extent.scan_offset;
  return block + (at - block) / packet_bytes_ * packet_bytes_;
}

/// Steps over what is bad at position_: whole packets, or where they are not known the rest of the
/// block, since what would follow is out of step.
Error StreamState::lose_bad(BlockLoad& load) {
  const sg::Extent& block = load.where().extent;
  const auto after = [&](ScanOffset bad_end) {
    if (packet_bytes_ == 0) return block.scan_end();
    return std::min(packet_floor(load, bad_end + (packet_bytes_ - 1)), block.scan_end());
  };
  const ScanOffset from = position_;
  const LoadRead* first = nullptr;
  for (std::size_t i = load.read_at(from); i < load.reads() && load.read(i).done; ++i) {
    const LoadRead& read = load.read(i);
    while (const auto bad = load.bad_in(read, position_, read.end)) {
      if (first != nullptr && packet_floor(load, bad->begin) > position_) break;
      if (first == nullptr) first = &read;
      position_ = std::min(after(bad->end), end_);
    }
  }
  lost_bytes_ += position_ - from;
  // cppcheck-suppress nullPointer ; called where a read has failed, which is then found above
  return read_error(load, *first, {from, position_});
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
      operation.since_ns_ = monotonic_ns();
      waiting_.push_back(&operation);
      for (const Pin& pin : operation.pins_) note_wait(*pin.load_);
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

std::uint64_t StreamState::lost_bytes() const {
  const std::lock_guard lock(mutex_);
  return lost_bytes_;
}

std::uint64_t StreamState::window_bytes() const {
  const std::lock_guard lock(mutex_);
  return window_bytes_;
}

void StreamState::attach_to_window(ReadOperation& operation) {
  for (BlockLoad* load : window_) {
    if (load->begin() >= operation.end_) break;
    if (load->end() > operation.begin_) attach(operation, *load);
  }
}

void StreamState::attach_detached(ReadOperation& operation, Chores& chores) {
  const bool direct = operation.end_ - operation.begin_ >= kSmallReadBytes;
  std::size_t i = index_.find(operation.begin_);
  for (ScanOffset at = operation.begin_; at < operation.end_;) {
    const sg::Extent block = index_.block(i);
    const ScanOffset end = std::min(part_end(block, at), operation.end_);
    BlockLoad& load = new_load(at, end, chores);
    engine_.pool().reserve(load.memory_bytes(), /*force=*/true);
    if (!placer_) {
      place(load, LoadPlace{.extent = block, .direct = direct}, chores);
    } else if (grid_error_ != 0) {
      fail(load, grid_error_, chores);
    } else {
      load.reference();  // of the list
      load.next_to_release = std::exchange(chores.search_for, &load);
    }
    attach(operation, load);
    if (end == block.scan_end()) ++i;
    at = end;
  }
}

/// Makes `operation` wait for what of `load` it needs: for its reads, or to be placed.
void StreamState::attach(ReadOperation& operation, BlockLoad& load) {
  operation.pins_.emplace_back(&load);
  if (!load.placed()) {
    if (load.failure == 0) ++operation.pending_;
    if (load.failure != 0) operation.error_ = EIO;
    return;
  }
  for (std::size_t i = 0; i < load.reads(); ++i) {
    const LoadRead& read = load.read(i);
    if (read.end <= operation.begin_ || operation.end_ <= read.begin) continue;
    if (!read.done) {
      ++operation.pending_;
    } else if (load.bad_in(read, operation.begin_, operation.end_)) {
      operation.error_ = EIO;
    }
  }
}

// ---- reads that come back -----------------------------------------------------------------------

void StreamState::read_finished(LoadRead& read, int error) {
  BlockLoad& load = *read.load;
  if (!read.given_up) settle(read, error);
  load.release();  // and so this stream may be gone
}

void StreamState::read_timed_out(LoadRead& read) {
  read.given_up = true;
  settle(read, ETIMEDOUT);
}

/// What became of a read is known.
void StreamState::settle(LoadRead& read, int error) {
  BlockLoad& load = *read.load;
  Chores chores;
  {
    const std::lock_guard lock(mutex_);
    read.done = true;
    read.error = error;
    --reads_out_[read.disk.value];
    note_arrival(read, chores);
    arrived(load, read.begin, read.end, error, chores, &read);
    const bool brings_tail = load.where().tail_bytes != 0 && &read == &load.read(load.reads() - 1);
    if (brings_tail) learn_next(load, error, chores);
  }
  do_chores(chores);
}

/// One thing that operations waited for is there (or has failed): [begin, end) of `load`.
void StreamState::arrived(BlockLoad& load, ScanOffset begin, ScanOffset end, int error,
                          Chores& chores, const LoadRead* read) {
  const auto is_ready = [&](ReadOperation* operation) {
    const bool concerned = operation->begin_ < end && begin < operation->end_ &&
                           std::any_of(operation->pins_.begin(), operation->pins_.end(),
                                       [&load](const Pin& pin) { return pin.load_ == &load; });
    if (!concerned) return false;
    const bool bad =
        read != nullptr ? load.bad_in(*read, operation->begin_, operation->end_).has_value() : true;
    if (error != 0 && bad) operation->error_ = EIO;
    if (--operation->pending_ > 0) return false;
    make_ready(*operation);
    operation->next_ready_ = std::exchange(chores.ready, operation);
    return true;
  };
  const auto answered = std::remove_if(waiting_.begin(), waiting_.end(), is_ready);
  if (answered != waiting_.end()) {
    waiting_.erase(answered, waiting_.end());
    charge_oldest_wait(monotonic_ns());
  }
  if (taker_since_ns_ != 0) arrived_.notify_one();
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
    if (!load.placed()) {
      return ledger_.waiting_for_disk(disk_owing(load, oldest.begin_), now_ns);
    }
    for (std::size_t i = 0; i < load.reads(); ++i) {
      const LoadRead& read = load.read(i);
      if (!read.done && oldest.begin_ < read.end && read.begin < oldest.end_) {
        return ledger_.waiting_for_disk(read.disk, now_ns);
      }
    }
  }
}

/// The disk that the byte `at` of `load` is waited for from. Of an unplaced load that is not known;
/// the first disk that may still come to it stands for all.
DiskIndex StreamState::disk_owing(BlockLoad& load, ScanOffset at) {
  if (load.placed()) return load.read(load.read_at(at)).disk;
  for (std::size_t i = 0; i < placer_->fragments(); ++i) {
    const auto block = placer_->block(i);
    if (!block || *block < index_.find(load.begin())) {
      return source_.files[index_.fragment_of_grid(i).value].disk;
    }
  }
  return source_.files.front().disk;
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

Error StreamState::read_error(BlockLoad& load, const LoadRead& read, ScanRange lost) const {
  const sg::Extent& extent = load.where().extent;
  Error error;
  error.code = ErrorCode::kIo;
  error.path = source_.files[extent.fragment().value].path;
  error.errno_value = read.error;
  error.found =
      read.error == ENODATA
          ? fmt::format("the file has become shorter than byte {}", read.offset + read.needed)
          : fmt::format("cannot read {} bytes at byte {} (block {}): {}", lost.end - lost.begin,
                        (extent.file_offset() + (lost.begin - extent.scan_offset)).value,
                        extent.number.value,
                        read.error == ETIMEDOUT ? "the disk does not answer"
                                                : std::generic_category().message(read.error));
  return error;
}

Error StreamState::placing_error(const BlockLoad& load) const {
  Error error;
  error.code = ErrorCode::kBadFormat;
  error.errno_value = load.failure;
  error.found = fmt::format("block {} is not where the headers of the fragments promise it ({})",
                            index_.block(index_.find(load.begin())).number.value,
                            load.failure == EILSEQ ? "block numbers do not add up"
                                                   : std::generic_category().message(load.failure));
  error.expected = "a healthy recording";
  error.advice = "all block headers must be walked";
  return error;
}

// ---- work without the mutex ---------------------------------------------------------------------

void StreamState::do_chores(Chores& chores) {
  while (BlockLoad* load = chores.start.pop()) start(*load);
  while (BlockLoad* load = chores.search_for) {
    chores.search_for = load->next_to_release;
    search_for(*load);
  }
  if (chores.search) search_cursors();
  while (ReadOperation* operation = chores.ready) {
    chores.ready = operation->next_ready_;
    operation->on_ready();  // `operation` may be gone now
  }
  while (BlockLoad* load = chores.release.pop()) load->release();
  // Both: the window was opened anew elsewhere; the pool need not know.
  if (chores.join && !chores.leave) engine_.pool().join(shared_from_this());
  if (chores.leave && !chores.join) engine_.pool().leave(this);
  chores = Chores();
}

/// Gives `load` memory where it has none yet, and submits it where it is placed. Drops the
/// reference of the list that it was in.
void StreamState::start(BlockLoad& load) {
  if (!load.attached()) {
    auto slab = engine_.pool().take(load.memory_bytes());
    Chores chores;
    bool submits = false;
    {
      const std::lock_guard lock(mutex_);
      if (slab) load.attach(std::move(*slab));
      submits = load.placed() && load.failure == 0;
      if (!slab && !submits) {
        give_up_grid(ENOMEM, chores);
        if (load.failure == 0) fail(load, ENOMEM, chores);
      }
    }
    do_chores(chores);
    if (submits) submit(load);
  } else {
    submit(load);
  }
  load.release();
}

void StreamState::submit(BlockLoad& load) {
  const std::size_t count = load.reads();
  for (std::size_t i = 0; i < count; ++i) load.reference();
  if (!load.attached()) {  // no memory was to be had
    for (std::size_t i = 0; i < count; ++i) read_finished(load.read(i), ENOMEM);
    return;
  }
  {
    const std::lock_guard lock(mutex_);  // a taker may be preparing its memory
    load.aim();
  }
  for (std::size_t i = 0; i + 1 < count; ++i) ReadEngine::chain(load.read(i), load.read(i + 1));
  engine_.submit(&load.read(0), &load.read(count - 1));
}

}  // namespace mark6
