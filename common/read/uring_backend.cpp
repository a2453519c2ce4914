// SPDX-License-Identifier: MIT
// Neighbours: read_engine (its only user). The ring belongs to the thread that made it; other
// threads reach it through the eventfd, on which the ring always has a read waiting.
#include "common/read/uring_backend.hpp"

#include <liburing.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <algorithm>
#include <bit>
#include <cerrno>
#include <chrono>
#include <system_error>
#include <thread>

#include "common/os/unique_fd.hpp"

namespace mark6 {
namespace {

class UringBackend final : public ReadBackend {
 public:
  /// 0, or the errno of what failed.
  int open(unsigned entries) {
    wake_fd_ = UniqueFd(::eventfd(0, EFD_CLOEXEC));
    if (!wake_fd_.valid()) return errno;
    // One thread submits and reaps, and completions are worked off when it asks for them: measured
    // 0.010 CPU s/GB. Kernels before 6.1 do not know the flags; they cost a little more.
    int failed = io_uring_queue_init(entries, &ring_,
                                     IORING_SETUP_SINGLE_ISSUER | IORING_SETUP_DEFER_TASKRUN);
    if (failed == -EINVAL) failed = io_uring_queue_init(entries, &ring_, 0);
    opened_ = failed == 0;
    return -failed;
  }

  ~UringBackend() override {
    if (opened_) io_uring_queue_exit(&ring_);
  }

  bool queue(const BackendRead& read) override {
    io_uring_sqe* entry = io_uring_get_sqe(&ring_);
    if (entry == nullptr) return false;
    io_uring_prep_read(entry, read.fd, read.into, read.length, read.offset);
    // A read through the page cache would block the submitting thread; this sends it to a worker.
    if (read.buffered) entry->flags |= IOSQE_ASYNC;
    io_uring_sqe_set_data(entry, read.tag);
    return true;
  }

  void submit() override { io_uring_submit(&ring_); }

  void wait(std::vector<BackendCompletion>& done, std::int64_t timeout_ns) override {
    arm_wake();
    io_uring_cqe* entry = nullptr;
    const int status = submit_and_wait(timeout_ns, &entry);
    unsigned head = 0;
    unsigned count = 0;
    io_uring_for_each_cqe(&ring_, head, entry) {
      void* tag = io_uring_cqe_get_data(entry);
      if (tag == &woken_) {
        armed_ = false;
      } else {
        done.push_back({tag, entry->res});
      }
      ++count;
    }
    io_uring_cq_advance(&ring_, count);
    if (status < 0 && count == 0 && status != -EINTR && status != -ETIME) {
      // Out of memory or of request slots: the entries stay queued and are submitted again.
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
  }

  void wake() override {
    const std::uint64_t one = 1;
    [[maybe_unused]] const auto written = ::write(wake_fd_.get(), &one, sizeof one);
  }

  [[nodiscard]] const char* name() const override { return "io_uring"; }

 private:
  int submit_and_wait(std::int64_t timeout_ns, io_uring_cqe** entry) {
    if (timeout_ns < 0) return io_uring_submit_and_wait(&ring_, 1);
    __kernel_timespec timeout{timeout_ns / 1'000'000'000, timeout_ns % 1'000'000'000};
    return io_uring_submit_and_wait_timeout(&ring_, entry, 1, &timeout, nullptr);
  }

  void arm_wake() {
    if (armed_) return;
    io_uring_sqe* entry = io_uring_get_sqe(&ring_);
    if (entry == nullptr) return;  // no room this time; the ring is about to return anyway
    io_uring_prep_read(entry, wake_fd_.get(), &woken_, sizeof woken_, 0);
    io_uring_sqe_set_data(entry, &woken_);
    armed_ = true;
  }

  io_uring ring_{};
  bool opened_ = false;
  UniqueFd wake_fd_;
  std::uint64_t woken_ = 0;
  bool armed_ = false;
};

const char* advice_for(int errno_value) {
  switch (errno_value) {
    case EPERM:
    case EACCES:
      return "allow it with 'sysctl kernel.io_uring_disabled=0' or in the seccomp profile";
    case ENOSYS:
      return "use Linux 5.6 or newer";
    case EMFILE:
    case ENFILE:
      return "raise the limit of open files (ulimit -n)";
    case ENOMEM:
      return "raise the limit of locked memory (ulimit -l)";
    default:
      return "";
  }
}

}  // namespace

Result<std::unique_ptr<ReadBackend>> make_uring_backend(std::size_t disks, std::size_t depth) {
  auto backend = std::make_unique<UringBackend>();
  const std::size_t entries = std::bit_ceil(std::clamp<std::size_t>(disks * depth + 2, 8, 4096));
  if (const int failed = backend->open(static_cast<unsigned>(entries)); failed != 0) {
    return failure(ErrorCode::kUnsupported, "",
                   "io_uring is refused: " + std::generic_category().message(failed), "",
                   advice_for(failed));
  }
  return backend;
}

}  // namespace mark6
