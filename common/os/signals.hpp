// SPDX-License-Identifier: MIT
// Signals as ordinary calls on an ordinary thread: they are blocked in the whole process and read
// from a signalfd by one thread, so that no code of ours ever runs in a signal handler.
#pragma once

#include <csignal>
#include <functional>
#include <initializer_list>
#include <thread>

#include "common/os/unique_fd.hpp"

namespace mark6 {

/// Blocks `signals` in the calling thread and in all threads it starts later, and calls
/// `on_signal(number)` on a thread of its own for each that arrives. Make it before other threads.
/// Destroying it stops the thread and restores the calling thread's mask.
class SignalThread {
 public:
  SignalThread(std::initializer_list<int> signals, std::function<void(int)> on_signal);
  ~SignalThread();
  SignalThread(const SignalThread&) = delete;
  SignalThread& operator=(const SignalThread&) = delete;

 private:
  sigset_t before_{};
  UniqueFd signals_;
  UniqueFd wake_;
  std::thread thread_;
};

}  // namespace mark6
