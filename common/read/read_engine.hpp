// SPDX-License-Identifier: MIT
// The one reader of a process: a reaper thread that submits, stamps and reaps reads of all disks.
// Each disk has a FIFO, served round robin between streams in runs of at least 4 MiB, with a fixed
// number of reads in flight. The reaper never writes to a pipe, to /dev/fuse or to a log.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "common/account/device_counters.hpp"
#include "common/base/error.hpp"
#include "common/base/units.hpp"
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
  bool fresh_memory = false;     ///< `into` has no pages yet
  const void* stream = nullptr;  ///< whose read it is, for fairness between streams

  /// Reaper thread: the read is over. 0, or the errno of its failure: ECANCELED when
  /// wanted() said no, ENODATA when the file ended before `needed` bytes.
  virtual void finished(int error) = 0;
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
  std::int64_t queued_ns_ = 0;
  std::int64_t issued_ns_ = 0;
  std::int64_t service_ns_ = 0;
};

struct ReadEngineOptions {
  std::size_t depth = 2;           ///< reads in flight per disk
  std::uint64_t memory_bytes = 0;  ///< budget of the buffer pool
  BackendFactory backend = default_backend();
  /// Take what the kernel holds in memory from there. Off: always ask the disk.
  bool page_cache = true;
};

class ReadEngine {
 public:
  static constexpr std::uint32_t kReadBytes = std::uint32_t{1} << 20;
  static constexpr std::uint64_t kRunBytes = std::uint64_t{4} << 20;

  /// Starts the reaper for `disks` disks. Errors: kUnsupported, kIo (no backend works).
  static Result<std::unique_ptr<ReadEngine>> start(std::size_t disks, ReadEngineOptions options);
  /// Waits for the reads in flight. All streams must have been closed.
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
    std::size_t in_flight = 0;
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

  const std::size_t depth_;
  const bool page_cache_;
  BufferPool pool_;
  std::vector<std::unique_ptr<DiskQueue>> disks_;
  std::unique_ptr<ReadBackend> backend_;
  const char* backend_name_ = "";
  std::size_t in_flight_ = 0;
  std::vector<ReadRequest*> fresh_;  ///< issued, their memory without pages before

  std::mutex inbox_mutex_;
  ReadRequest* inbox_head_ = nullptr;
  ReadRequest* inbox_tail_ = nullptr;

  std::jthread reaper_;
};

}  // namespace mark6
