// SPDX-License-Identifier: MIT
// The reaper's story is reap(): take new requests in, issue what each disk's depth allows, wait,
// work the completions off. Everything but the inbox belongs to the reaper alone.
#include "common/read/read_engine.hpp"

#include <algorithm>
#include <cerrno>
#include <future>
#include <utility>

#include "common/base/clock.hpp"
#include "common/os/page_cache.hpp"

namespace mark6 {
namespace {

/// Times a read is issued again without progress before it counts as failed.
constexpr std::uint32_t kMaxTries = 5;

/// The kernel still writes for this one; neither its ring nor its threads can be waited for, so it
/// stays until the process ends.
void leave_to_the_kernel(std::unique_ptr<ReadBackend> backend) {
  static std::mutex mutex;
  static auto& left = *new std::vector<std::unique_ptr<ReadBackend>>;
  const std::lock_guard lock(mutex);
  left.push_back(std::move(backend));
}

}  // namespace

ReadEngine::ReadEngine(std::size_t disks, const ReadEngineOptions& options)
    : depth_(std::max<std::size_t>(options.depth, 1)),
      page_cache_(options.page_cache),
      deadline_ns_(options.deadline_ns),
      on_hung_(options.on_hung),
      pool_(options.memory_bytes) {
  for (std::size_t i = 0; i < disks; ++i) {
    disks_.push_back(std::make_unique<DiskQueue>());
    disks_.back()->in_flight.reserve(depth_);
  }
}

Result<std::unique_ptr<ReadEngine>> ReadEngine::start(std::size_t disks,
                                                      ReadEngineOptions options) {
  std::unique_ptr<ReadEngine> engine(new ReadEngine(disks, options));
  std::promise<Result<void>> started;
  auto outcome = started.get_future();
  engine->reaper_ = std::jthread([engine = engine.get(), &started,
                                  make = std::move(options.backend)](const std::stop_token& stop) {
    // Made here, because a ring with one issuer belongs to the thread that makes it.
    auto backend = make(engine->disks_.size(), engine->depth_);
    if (!backend) {
      started.set_value(Failure(backend.error()));
      return;
    }
    engine->backend_ = std::move(*backend);
    engine->backend_name_ = engine->backend_->name();
    started.set_value({});
    engine->reap(stop);
  });
  auto result = outcome.get();
  if (!result) return Failure(result.error());
  return engine;
}

ReadEngine::~ReadEngine() {
  reaper_.request_stop();
  if (backend_) backend_->wake();
  if (reaper_.joinable()) reaper_.join();
  if (in_flight_ != 0) leave_to_the_kernel(std::move(backend_));
}

const DeviceCounters& ReadEngine::counters(DiskIndex disk) const {
  return disks_.at(disk.value)->counters;
}

void ReadEngine::submit(ReadRequest* first, ReadRequest* last) {
  const std::int64_t now = monotonic_ns();
  last->next_ = nullptr;
  for (ReadRequest* request = first; request != nullptr; request = request->next_) {
    request->queued_ns_ = now;
    request->done_ = 0;
    request->tries_ = 0;
    request->service_ns_ = 0;
    request->timed_out_ = false;
    request->bad_.clear();
  }
  bool first_in = false;
  {
    const std::lock_guard lock(inbox_mutex_);
    first_in = inbox_head_ == nullptr;
    (first_in ? inbox_head_ : inbox_tail_->next_) = first;
    inbox_tail_ = last;
  }
  // Whoever found the inbox empty wakes the reaper; those behind it are taken along.
  if (first_in) backend_->wake();
}

void ReadEngine::reap(const std::stop_token& stop) {
  std::vector<BackendCompletion> done;
  std::int64_t leaving_ns = 0;
  while (true) {
    drain_inbox();
    issue_all();
    stamp_fresh();
    if (stop.stop_requested()) {
      if (in_flight_ == 0) return;
      if (leaving_ns == 0) leaving_ns = monotonic_ns();
      if (monotonic_ns() - leaving_ns > kLeaveNs) return;
    }
    done.clear();
    backend_->wait(done, stop.stop_requested() ? kLeaveNs / 10 : wait_ns());
    for (const BackendCompletion& completion : done) complete(completion);
    look_for_hung_disks();
  }
}

void ReadEngine::drain_inbox() {
  ReadRequest* request = nullptr;
  {
    const std::lock_guard lock(inbox_mutex_);
    request = std::exchange(inbox_head_, nullptr);
    inbox_tail_ = nullptr;
  }
  while (request != nullptr) {
    ReadRequest* next = std::exchange(request->next_, nullptr);
    enqueue(request);
    request = next;
  }
}

void ReadEngine::enqueue(ReadRequest* request) {
  auto& lanes = disks_[request->disk.value]->lanes;
  const auto lane = std::find_if(lanes.begin(), lanes.end(), [request](const Lane& candidate) {
    return candidate.stream == request->stream;
  });
  if (lane == lanes.end()) {
    lanes.push_back({request->stream, request, request});
  } else {
    lane->tail->next_ = request;
    lane->tail = request;
  }
}

ReadRequest* ReadEngine::next_for(DiskQueue& disk) {
  if (disk.again != nullptr) {
    ReadRequest* request = disk.again;
    disk.again = std::exchange(request->next_, nullptr);
    return request;
  }
  if (disk.lanes.empty()) return nullptr;
  disk.turn %= disk.lanes.size();
  Lane& lane = disk.lanes[disk.turn];
  ReadRequest* request = lane.head;
  lane.head = std::exchange(request->next_, nullptr);
  disk.run_bytes += request->length;
  if (lane.head == nullptr) {
    disk.lanes.erase(disk.lanes.begin() + static_cast<std::ptrdiff_t>(disk.turn));
    disk.run_bytes = 0;
  } else if (disk.run_bytes >= kRunBytes) {
    ++disk.turn;
    disk.run_bytes = 0;
  }
  return request;
}

void ReadEngine::issue_all() {
  for (const auto& disk : disks_) {
    if (disk->hung) fail_queued(*disk);
    while (disk->in_flight.size() < depth_) {
      ReadRequest* request = next_for(*disk);
      if (request == nullptr) break;
      if (!request->wanted()) {
        request->finished(ECANCELED);
      } else if (!issue(*disk, request)) {
        request->next_ = std::exchange(disk->again, request);
        return;
      }
    }
  }
}

/// Page faults are ours, not the disk's: reads into fresh memory are stamped behind them.
void ReadEngine::stamp_fresh() {
  if (fresh_.empty()) return;
  backend_->submit();
  const std::int64_t now = monotonic_ns();
  for (ReadRequest* request : fresh_) request->issued_ns_ = now;
  fresh_.clear();
}

bool ReadEngine::issue(DiskQueue& disk, ReadRequest* request) {
  BackendRead read{.fd = request->fd,
                   .disk = request->disk,
                   .buffered = request->buffered,
                   .offset = request->offset + request->done_,
                   .length = request->bad_.piece(request->length - request->done_),
                   .into = request->into + request->done_,
                   .tag = request};
  request->from_cache_ = page_cache_ && request->cached_fd >= 0 && request->done_ == 0 &&
                         is_in_page_cache(request->cached_fd, request->offset, request->needed);
  if (request->from_cache_) {
    // Not more than is there: reading on would wait for the disk.
    read.fd = request->cached_fd;
    read.length = request->needed;
  }
  if (!backend_->queue(read)) return false;
  request->issued_ns_ = monotonic_ns();
  if (request->fresh_memory) fresh_.push_back(request);
  if (!request->from_cache_) disk.counters.issued(request->issued_ns_, request->queued_ns_);
  disk.in_flight.push_back(request);
  ++in_flight_;
  return true;
}

void ReadEngine::complete(const BackendCompletion& completion) {
  auto* request = static_cast<ReadRequest*>(completion.tag);
  DiskQueue& disk = *disks_[request->disk.value];
  const std::int64_t now = monotonic_ns();
  const bool try_again = completion.result == -EAGAIN || completion.result == -EINTR;
  const bool failed = completion.result < 0 && !try_again;
  const auto got = static_cast<std::uint32_t>(std::max<std::int64_t>(completion.result, 0));
  std::erase(disk.in_flight, request);
  --in_flight_;
  if (disk.hung) answers_again(disk, *request, now);
  if (request->timed_out_) {
    disk.counters.finished(now, request->issued_ns_, got, true);
    return request->finished(ETIMEDOUT);
  }
  if (request->from_cache_) {
    if (got >= request->needed) {
      disk.counters.found_in_cache(got);
      return request->finished(0);
    }
    request->cached_fd = -1;  // gone again, or half of it: from the disk, then
    return go_on(disk, request, now);
  }
  request->service_ns_ += now - request->issued_ns_;
  disk.counters.finished(now, request->issued_ns_, got, failed);
  if (failed) return narrow(disk, request, static_cast<int>(-completion.result), now);
  request->bad_.came(got);
  if (request->done_ + got >= request->needed) {
    return request->finished(request->bad_.ranges().empty() ? 0 : EIO);
  }

  // Short: the rest is read again from the last aligned byte on. At the end of the file that makes
  // no progress, and the tries run out.
  const std::uint32_t before = request->done_;
  request->done_ = (before + got) / request->alignment * request->alignment;
  if (request->done_ != before) {
    request->tries_ = 0;
  } else if (++request->tries_ >= kMaxTries) {
    if (!try_again) request->bad_.give_up(request->done_, request->length);
    return request->finished(try_again ? EAGAIN : ENODATA);
  }
  disk.counters.retried();
  go_on(disk, request, now);
}

/// Issues `request` again, before anything else.
void ReadEngine::go_on(DiskQueue& disk, ReadRequest* request, std::int64_t now_ns) {
  request->queued_ns_ = now_ns;
  request->next_ = std::exchange(disk.again, request);
}

}  // namespace mark6
