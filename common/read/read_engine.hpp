// SPDX-License-Identifier: MIT
// The one reader of a process: a reaper thread that submits, stamps and reaps reads of all disks.
// Each disk has a FIFO, served round robin between streams in runs of at least 4 MiB, with a fixed
// number of reads in flight. The reaper never writes to a pipe, to /dev/fuse or to a log.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "common/account/device_counters.hpp"
#include "common/base/error.hpp"
#include "common/base/units.hpp"
#include "common/read/bad_ranges.hpp"
#include "common/read/buffer_pool.hpp"
#include "common/read/read_backend.hpp"

namespace mark6 {

class ReadEngine;

/// One read of at most 1 MiB, embedded in what wants it (no allocation per read). The owner keeps
/// it, its memory and its descriptor alive until finished() was called.
class ReadRequest {
 public:
  ReadRequest() = default;
  ReadRequest(const ReadRequest&) = delete;
  ReadRequest& operator=(const ReadRequest&) = delete;
  virtual ~ReadRequest() = default;

  int fd = -1;
  DiskIndex disk{};
  bool buffered = false;  ///< fd goes through the page cache
  /// The same file through the page cache, or -1: used where the kernel holds all that is needed.
  int cached_fd = -1;
  std::uint32_t alignment = 1;  ///< of offset, length and address, for O_DIRECT
  std::uint64_t offset = 0;     ///< in the file, aligned
  std::uint32_t length = 0;     ///< aligned; may reach beyond the end of the file
  std::uint32_t needed = 0;     ///< bytes from `offset` on without which the read has failed
  std::byte* into = nullptr;
  bool narrow = true;            ///< where it fails, find out which sectors do
  bool fresh_memory = false;     ///< `into` has no pages yet
  const void* stream = nullptr;  ///< whose read it is, for fairness between streams

  /// Reaper thread: the read is over. 0, or the errno of its failure: ECANCELED when
  /// wanted() said no, ETIMEDOUT when the disk is hung, ENODATA when the file ended before `needed`
  /// bytes. Where bad() is not empty, all other bytes have come.
  virtual void finished(int error) = 0;
  /// Reaper thread: the disk has not answered within the deadline. The read is given up; but its
  /// memory is the kernel's until finished() comes after all, which may be never.
  virtual void timed_out() = 0;
  /// Once finished(): what of the read is bad, when only a part of it is.
  [[nodiscard]] const std::vector<BadRange>& bad() const { return bad_.ranges(); }
  /// Reaper thread, before the read is issued: false drops it.
  [[nodiscard]] virtual bool wanted() const = 0;
  /// From finished() on: how long the disk took for it, in ns; 0 when it was not asked.
  [[nodiscard]] std::int64_t service_ns() const { return service_ns_; }

 private:
  friend class ReadEngine;
  ReadRequest* next_ = nullptr;
  std::uint32_t done_ = 0;
  std::uint32_t tries_ = 0;
  bool from_cache_ = false;
  bool timed_out_ = false;
  BadRanges bad_;
  std::int64_t queued_ns_ = 0;
  std::int64_t issued_ns_ = 0;
  std::int64_t service_ns_ = 0;
};

/// "30", "0.5": seconds of a deadline, in ns; "0": for ever. Errors: kUsage, for `option`.
Result<std::int64_t> parse_read_timeout(const std::string& option, const std::string& text);

/// A disk has not answered within the deadline, or (`hung` false) answers again. On the reaper.
using HungNotice = std::function<void(DiskIndex disk, bool hung, std::int64_t waited_ns)>;

/// Longer than a disk repeats a sector in vain, or takes to spin up.
inline constexpr std::int64_t kReadDeadlineNs = 30'000'000'000;

struct ReadEngineOptions {
  std::size_t depth = 2;           ///< reads in flight per disk
  std::uint64_t memory_bytes = 0;  ///< budget of the buffer pool
  BackendFactory backend = default_backend();
  /// Take what the kernel holds in memory from there. Off: always ask the disk.
  bool page_cache = true;
  /// A disk that leaves a read unanswered for so long is hung: all its reads fail, until it answers
  /// one of those that it was asked for before. At most `depth` reads per disk are ever unanswered,
  /// so that is all the memory a hung disk keeps. 0: wait for ever.
  std::int64_t deadline_ns = kReadDeadlineNs;
  HungNotice on_hung{};  ///< must not wait
};

class ReadEngine {
 public:
  static constexpr std::uint32_t kReadBytes = std::uint32_t{1} << 20;
  static constexpr std::uint64_t kRunBytes = std::uint64_t{4} << 20;
  static constexpr std::int64_t kLeaveNs = 1'000'000'000;

  /// Starts the reaper for `disks` disks. Errors: kUnsupported, kIo (no backend works).
  static Result<std::unique_ptr<ReadEngine>> start(std::size_t disks, ReadEngineOptions options);
  /// Waits for the reads in flight, but for a hung disk only kLeaveNs: what it may still write into
  /// is then left as it is, for the process to end with. All streams must have been closed.
  ~ReadEngine();
  ReadEngine(const ReadEngine&) = delete;
  ReadEngine& operator=(const ReadEngine&) = delete;

  /// Queues reads linked through chain(); any thread.
  void submit(ReadRequest* first, ReadRequest* last);
  /// Links `next` behind `request`, for submit().
  static void chain(ReadRequest& request, ReadRequest& next) { request.next_ = &next; }

  [[nodiscard]] BufferPool& pool() { return pool_; }
  [[nodiscard]] std::size_t disks() const { return disks_.size(); }
  [[nodiscard]] const DeviceCounters& counters(DiskIndex disk) const;
  [[nodiscard]] const char* backend_name() const { return backend_name_; }

 private:
  struct Lane {
    const void* stream = nullptr;
    ReadRequest* head = nullptr;
    ReadRequest* tail = nullptr;
  };
  struct DiskQueue {
    std::vector<Lane> lanes;
    std::size_t turn = 0;
    std::uint64_t run_bytes = 0;
    std::vector<ReadRequest*> in_flight;
    bool hung = false;
    ReadRequest* again = nullptr;  ///< to be issued again before anything else
    DeviceCounters counters;
  };

  ReadEngine(std::size_t disks, const ReadEngineOptions& options);
  void reap(const std::stop_token& stop);
  void drain_inbox();
  void enqueue(ReadRequest* request);
  ReadRequest* next_for(DiskQueue& disk);
  void issue_all();
  void stamp_fresh();
  bool issue(DiskQueue& disk, ReadRequest* request);
  void complete(const BackendCompletion& completion);
  void go_on(DiskQueue& disk, ReadRequest* request, std::int64_t now_ns);

  // read_engine_faults.cpp:
  [[nodiscard]] std::int64_t wait_ns() const;
  void look_for_hung_disks();
  void fail_queued(DiskQueue& disk);
  void answers_again(DiskQueue& disk, const ReadRequest& request, std::int64_t now_ns);
  void narrow(DiskQueue& disk, ReadRequest* request, int error, std::int64_t now_ns);

  const std::size_t depth_;
  const bool page_cache_;
  const std::int64_t deadline_ns_;
  const HungNotice on_hung_;
  BufferPool pool_;
  std::vector<std::unique_ptr<DiskQueue>> disks_;
  std::unique_ptr<ReadBackend> backend_;
  const char* backend_name_ = "";
  std::size_t in_flight_ = 0;
  std::int64_t looked_ns_ = 0;       ///< for hung disks
  std::vector<ReadRequest*> fresh_;  ///< issued, their memory without pages before

  std::mutex inbox_mutex_;
  ReadRequest* inbox_head_ = nullptr;
  ReadRequest* inbox_tail_ = nullptr;

  std::jthread reaper_;
};

}  // namespace mark6
