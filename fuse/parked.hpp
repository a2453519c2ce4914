// SPDX-License-Identifier: MIT
// Parked requests as FUSE knows them: a kernel request that is answered later, by the reply queue,
// unless the process that asked is being killed. The order of locks is libfuse's request lock, then
// the reply queue's; answers are sent with neither of the queue's held.
#pragma once

#include <fuse_lowlevel.h>

#include <functional>
#include <memory>
#include <utility>

#include "fuse/reply_queue.hpp"

namespace mark6 {

/// Whether the thread `pid` has a SIGKILL pending (Ctrl-C and the like become one in the kernel).
/// False when that cannot be seen.
bool is_being_killed(pid_t pid);

class ParkedFuse : public ParkedRequest {
 public:
  [[nodiscard]] bool abandoned() const override { return is_being_killed(pid_); }

 protected:
  /// Starts the deadline of `request` and listens for signals to its asker. From here on another
  /// thread may answer it at any time.
  void park(fuse_req_t request, ReplyQueue& queue);
  /// The request, to be answered now; its signals are no longer listened to.
  fuse_req_t take();
  [[nodiscard]] ReplyQueue& queue() const { return *queue_; }

 private:
  static void on_interrupt(fuse_req_t request, void* parked);

  fuse_req_t request_ = nullptr;
  ReplyQueue* queue_ = nullptr;
  pid_t pid_ = 0;
};

/// A request that waits for one value (attributes, open files) which a callback brings. Deletes
/// itself when it is over.
template <class Value>
class ParkedFor final : public ParkedFuse {
 public:
  /// Sends the answer: the value and 0, or an errno.
  using Send = std::function<void(fuse_req_t, Value, int error)>;

  /// Parks `request`; deliver() must be called once on the result.
  static ParkedFor* park_new(fuse_req_t request, ReplyQueue& queue, Send send) {
    auto* parked = new ParkedFor(std::move(send));
    parked->park(request, queue);
    queue.waiting();
    return parked;
  }

  /// Brings the value, or an errno. Any thread.
  void deliver(Value value, int error) {
    value_ = std::move(value);
    error_ = error;
    queue().ready(*this);
  }

  void answer(int error) override {
    // After a deadline the value may be on its way: it must not be looked at.
    if (error == 0) {
      send_(take(), std::move(value_), error_);
    } else {
      send_(take(), Value{}, error);
    }
  }
  void finished() override { delete this; }

 private:
  explicit ParkedFor(Send send) : send_(std::move(send)) {}

  const Send send_;
  Value value_{};
  int error_ = 0;
};

}  // namespace mark6
