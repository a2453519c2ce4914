// SPDX-License-Identifier: MIT
#include "fuse/helper_threads.hpp"

#include <utility>

namespace mark6 {

HelperThreads::~HelperThreads() { stop(); }

void HelperThreads::run(std::function<void()> work) {
  const std::lock_guard lock(mutex_);
  if (stopping_) return;
  work_.push_back(std::move(work));
  if (idle_ < work_.size() && threads_.size() < limit_) {
    threads_.emplace_back([this] { serve(); });
  }
  wake_.notify_one();
}

void HelperThreads::stop() {
  std::vector<std::thread> threads;
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
    work_.clear();
    threads.swap(threads_);
  }
  wake_.notify_all();
  for (auto& thread : threads) thread.join();
}

void HelperThreads::serve() {
  std::unique_lock lock(mutex_);
  while (true) {
    ++idle_;
    wake_.wait(lock, [this] { return stopping_ || !work_.empty(); });
    --idle_;
    if (work_.empty()) return;
    const auto work = std::move(work_.front());
    work_.pop_front();
    lock.unlock();
    work();
    lock.lock();
  }
}

}  // namespace mark6
