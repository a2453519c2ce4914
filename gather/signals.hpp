// SPDX-License-Identifier: MIT
// What signals do to a gather: SIGINT and SIGTERM ask it to stop, a second one leaves at once,
// SIGUSR1 tells the state, SIGPIPE and SIGXFSZ become errors of write.
#pragma once

#include <atomic>
#include <csignal>
#include <functional>
#include <mutex>
#include <stop_token>

#include "common/os/signals.hpp"

namespace mark6::gather {

/// Ignores a signal until destroyed.
class IgnoredSignal {
 public:
  explicit IgnoredSignal(int number);
  ~IgnoredSignal();
  IgnoredSignal(const IgnoredSignal&) = delete;
  IgnoredSignal& operator=(const IgnoredSignal&) = delete;

 private:
  int number_;
  struct sigaction before_ {};
};

class Signals {
 public:
  /// Also stops when `outer` is asked to.
  explicit Signals(const std::stop_token& outer);

  [[nodiscard]] std::stop_token stop() const { return source_.get_token(); }
  /// What SIGUSR1 calls from now on, on the signal thread; nothing by default.
  void set_state_printer(std::function<void()> print);

 private:
  void on_signal(int number);

  std::stop_source source_;
  std::stop_callback<std::function<void()>> outer_;
  std::mutex mutex_;
  std::function<void()> print_state_;
  IgnoredSignal pipe_{SIGPIPE};
  IgnoredSignal file_size_{SIGXFSZ};
  SignalThread thread_;  // last: it uses all of the above
};

}  // namespace mark6::gather
