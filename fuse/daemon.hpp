// SPDX-License-Identifier: MIT
// Into the background and out of it: the fork whose parent returns only when the mount serves (or
// has failed), the word to systemd, and the clock that keeps a hung disk from keeping the process.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <string>
#include <thread>

#include "common/base/environment.hpp"
#include "common/base/error.hpp"
#include "common/base/exit_code.hpp"
#include "common/os/unique_fd.hpp"

namespace mark6 {

/// What fork() made of the caller.
struct Daemonised {
  bool is_parent = false;
  ExitCode exit_code = ExitCode::kIo;  ///< the parent: what the child said of itself
  UniqueFd parent;                     ///< the child: where to say it
};

/// Forks while there is one thread only. The parent waits for the child's word and reports on
/// `environment`'s stderr when the child dies without one; the child has a session of its own and
/// stands in "/". Errors: kIo.
Result<Daemonised> daemonise(const Environment& environment);

/// The child's word to its parent. False when the parent is gone.
bool tell_parent(const UniqueFd& parent, ExitCode exit_code);

/// Standard input and output go nowhere from now on, and so does `environment`'s stderr.
void drop_output(const Environment& environment);

/// Sends `state` ("READY=1") to the service manager whose socket is `socket_name`.
Result<void> notify_service_manager(const std::string& socket_name, const std::string& state);

/// Ends the process with `exit_code`, unless it is destroyed within `patience`: reads that hang in
/// a disk cannot be cancelled, and nobody should have to wait for them at the end.
class ExitClock {
 public:
  ExitClock(ExitCode exit_code, std::chrono::milliseconds patience);
  ~ExitClock();
  ExitClock(const ExitClock&) = delete;
  ExitClock& operator=(const ExitClock&) = delete;

  /// What goes on from now on, for the message when it takes too long.
  void doing(const char* what) { doing_ = what; }

 private:
  std::atomic<const char*> doing_{"ending"};
  std::mutex mutex_;
  std::condition_variable wake_;
  bool done_ = false;
  std::thread thread_;
};

}  // namespace mark6
