// SPDX-License-Identifier: MIT
// Threads for calls that may hang on a disk (opening files). Each piece of work gets a thread at
// once, an idle one or a new one, so that a hung disk holds up nothing but itself.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

namespace mark6 {

class HelperThreads {
 public:
  /// At most `limit` threads; work beyond that waits its turn.
  explicit HelperThreads(std::size_t limit) : limit_(limit) {}
  ~HelperThreads();
  HelperThreads(const HelperThreads&) = delete;
  HelperThreads& operator=(const HelperThreads&) = delete;

  /// Runs `work`, which must not throw, soon on another thread. After stop(): drops it.
  void run(std::function<void()> work);
  /// Waits for what runs, drops what waits.
  void stop();

 private:
  void serve();

  const std::size_t limit_;
  std::mutex mutex_;
  std::condition_variable wake_;
  std::deque<std::function<void()>> work_;
  std::size_t idle_ = 0;
  bool stopping_ = false;
  std::vector<std::thread> threads_;
};

}  // namespace mark6
