// SPDX-License-Identifier: MIT
// How reads get to the kernel: the seam under the ReadEngine. io_uring is the one that is used
// (uring_backend.hpp); a pread thread per disk stands in where io_uring is refused
// (thread_backend.hpp); tests put in one that fails on purpose.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "common/base/error.hpp"
#include "common/base/units.hpp"

namespace mark6 {

/// One positional read. `tag` comes back with the completion.
struct BackendRead {
  int fd = -1;
  DiskIndex disk{};
  bool buffered = false;  ///< through the page cache: may block at submission
  std::uint64_t offset = 0;
  std::uint32_t length = 0;
  void* into = nullptr;
  void* tag = nullptr;
};

struct BackendCompletion {
  void* tag = nullptr;
  std::int64_t result = 0;  ///< bytes read, or -errno
};

/// Used by one thread (the reaper) only, except wake().
class ReadBackend {
 public:
  ReadBackend() = default;
  ReadBackend(const ReadBackend&) = delete;
  ReadBackend& operator=(const ReadBackend&) = delete;
  virtual ~ReadBackend() = default;

  /// Takes the read for submission; false when there is no room before the next wait().
  virtual bool queue(const BackendRead& read) = 0;
  /// Submits what is queued; wait() does, too. For who wants to know when that was done: memory
  /// that is read into for the first time gets its pages here.
  virtual void submit() {}
  /// Submits what is queued and appends completions to `done`; returns when there is at least one,
  /// after a wake(), or after `timeout_ns` (negative: not for that).
  virtual void wait(std::vector<BackendCompletion>& done, std::int64_t timeout_ns) = 0;
  /// Makes a wait() in progress, or else the next one, return. Any thread may call it.
  virtual void wake() = 0;
  /// "io_uring", "threads", ... for logs.
  [[nodiscard]] virtual const char* name() const = 0;
};

/// Makes the backend on the thread that will use it.
using BackendFactory =
    std::function<Result<std::unique_ptr<ReadBackend>>(std::size_t disks, std::size_t depth)>;

/// io_uring; where the kernel or a sandbox refuses it, threads, with a log line that says why.
BackendFactory default_backend();

}  // namespace mark6
