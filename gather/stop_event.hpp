// SPDX-License-Identifier: MIT
// A stop token as a descriptor, so that waiting for a pipe, a socket or a FIFO's reader ends when a
// signal asks us to stop.
#pragma once

#include <functional>
#include <stop_token>
#include <string>

#include "common/base/error.hpp"
#include "common/os/unique_fd.hpp"

namespace mark6::gather {

class StopEvent {
 public:
  explicit StopEvent(std::stop_token stop);
  StopEvent(const StopEvent&) = delete;
  StopEvent& operator=(const StopEvent&) = delete;

  [[nodiscard]] bool requested() const { return stop_.stop_requested(); }
  [[nodiscard]] const std::stop_token& token() const { return stop_; }

  /// Waits until `fd` (called `name` in messages) takes bytes or has failed; a write then tells
  /// which. Errors: kInterrupted, kIo.
  Result<void> wait_writable(int fd, const std::string& name) const;

  /// Waits for `milliseconds`. Errors: kInterrupted.
  Result<void> sleep(int milliseconds) const;

 private:
  std::stop_token stop_;
  UniqueFd event_;
  std::stop_callback<std::function<void()>> on_stop_;
};

/// The failure that says that a signal asked us to stop.
Failure interrupted();

}  // namespace mark6::gather
