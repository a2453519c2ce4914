// SPDX-License-Identifier: MIT
// Neighbours: read_engine (its only user). Each disk has `depth` threads and one queue, so that
// as many reads are in flight as with io_uring.
#include "common/read/thread_backend.hpp"

#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <condition_variable>
#include <deque>
#include <mutex>
#include <thread>

namespace mark6 {
namespace {

class ThreadBackend final : public ReadBackend {
 public:
  ThreadBackend(std::size_t disks, std::size_t depth) : depth_(depth), workers_(disks) {}

  ~ThreadBackend() override {
    for (auto& worker : workers_) {
      for (auto& thread : worker.threads) thread.request_stop();
    }
  }

  bool queue(const BackendRead& read) override {
    Worker& worker = workers_[read.disk.value];
    {
      const std::lock_guard lock(worker.mutex);
      worker.reads.push_back(read);
    }
    worker.ready.notify_one();
    while (worker.threads.size() < depth_) {
      worker.threads.emplace_back(
          [this, &worker](const std::stop_token& stop) { work(worker, stop); });
    }
    return true;
  }

  void wait(std::vector<BackendCompletion>& done, std::int64_t timeout_ns) override {
    std::unique_lock lock(mutex_);
    const auto something = [this] { return woken_ || !done_.empty(); };
    if (timeout_ns < 0) {
      something_.wait(lock, something);
    } else {
      something_.wait_for(lock, std::chrono::nanoseconds(timeout_ns), something);
    }
    woken_ = false;
    done.insert(done.end(), done_.begin(), done_.end());
    done_.clear();
  }

  void wake() override {
    {
      const std::lock_guard lock(mutex_);
      woken_ = true;
    }
    something_.notify_one();
  }

  [[nodiscard]] const char* name() const override { return "threads"; }

 private:
  struct Worker {
    std::mutex mutex;
    std::condition_variable_any ready;
    std::deque<BackendRead> reads;
    std::vector<std::jthread> threads;
  };

  void work(Worker& worker, const std::stop_token& stop) {
    std::unique_lock lock(worker.mutex);
    while (worker.ready.wait(lock, stop, [&worker] { return !worker.reads.empty(); })) {
      const BackendRead read = worker.reads.front();
      worker.reads.pop_front();
      lock.unlock();
      const ssize_t n = ::pread(read.fd, read.into, read.length, static_cast<off_t>(read.offset));
      const std::int64_t result = n < 0 ? -errno : n;
      {
        const std::lock_guard done_lock(mutex_);
        done_.push_back({read.tag, result});
      }
      something_.notify_one();
      lock.lock();
    }
  }

  const std::size_t depth_;
  std::mutex mutex_;
  std::condition_variable something_;
  std::vector<BackendCompletion> done_;
  bool woken_ = false;
  std::deque<Worker> workers_;  // last: its threads use what stands above
};

}  // namespace

std::unique_ptr<ReadBackend> make_thread_backend(std::size_t disks, std::size_t depth) {
  return std::make_unique<ThreadBackend>(disks, depth);
}

}  // namespace mark6
