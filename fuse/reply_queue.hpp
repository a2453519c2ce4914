// SPDX-License-Identifier: MIT
// Requests that wait for a disk, and the threads that answer them. A request is answered exactly
// once: with its result when that comes, with ETIMEDOUT when its deadline passes first, with EINTR
// when the process that asked is being killed. Its object lives on until its result has come as
// well, because a read that was issued writes into its memory whenever the disk answers.
// Knows nothing of FUSE (parked.hpp does), so that it can be tested alone.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <thread>
#include <vector>

namespace mark6 {

class ReplyQueue;

/// A request that may have to wait. The queue links it; nothing is allocated per request.
class ParkedRequest {
 public:
  ParkedRequest() = default;
  ParkedRequest(const ParkedRequest&) = delete;
  ParkedRequest& operator=(const ParkedRequest&) = delete;
  virtual ~ParkedRequest() = default;

  /// Sends the answer: the result (0), or an errno: ETIMEDOUT, EINTR (the asker is being killed),
  /// ENODEV (the file system ends). Called exactly once, without a lock held.
  virtual void answer(int error) = 0;
  /// The request was answered and its result has come: it may be deleted or used again.
  virtual void finished() = 0;
  /// Whether nobody waits for the answer any more. Asked only after interrupted().
  [[nodiscard]] virtual bool abandoned() const { return false; }

 private:
  friend class ReplyQueue;
  ParkedRequest* earlier_ = nullptr;  ///< in the list of those watched, by deadline
  ParkedRequest* later_ = nullptr;
  ParkedRequest* next_ready_ = nullptr;
  std::int64_t deadline_ns_ = 0;
  bool claimed_ = false;      ///< somebody answers it or has answered it
  bool answered_ = false;     ///< answered with an error before its result came
  bool result_came_ = false;  ///< claimed by a deadline, and the result has come since
  bool interrupted_ = false;
};

class ReplyQueue {
 public:
  /// Starts `threads` threads; every request has `timeout` from watch() on.
  ReplyQueue(std::size_t threads, std::chrono::nanoseconds timeout);
  /// stop()s.
  ~ReplyQueue();
  ReplyQueue(const ReplyQueue&) = delete;
  ReplyQueue& operator=(const ReplyQueue&) = delete;

  /// The deadline of `request` starts to run. Call it before anything that may lead to ready(), and
  /// then exactly one of ready() and answer_now() once.
  void watch(ParkedRequest& request);
  /// Some watched request does have to wait: makes sure that a thread looks at the clock.
  void waiting();
  /// The result has come: a reply thread answers. Any thread; takes a short lock only.
  void ready(ParkedRequest& request);
  /// The result has come already: answers on the calling thread.
  void answer_now(ParkedRequest& request);
  /// The asker got a signal; from now on abandoned() is looked at. Also before watch().
  void interrupted(ParkedRequest& request);

  /// Requests whose result has not come yet (or is being sent).
  [[nodiscard]] std::size_t unfinished() const;

  /// Answers what waits with ENODEV and returns when the result of everything has come.
  void stop();

 private:
  void serve();
  [[nodiscard]] std::chrono::nanoseconds tick() const;
  void wait(std::unique_lock<std::mutex>& lock);
  ParkedRequest* next_expired(int& error);
  void fail(ParkedRequest& request, int error, std::unique_lock<std::mutex>& lock);
  void complete(ParkedRequest& request, std::unique_lock<std::mutex>& lock);
  void finish(ParkedRequest& request, std::unique_lock<std::mutex>& lock);
  void unlink(ParkedRequest& request);

  const std::int64_t timeout_ns_;
  const std::chrono::nanoseconds tick_;

  mutable std::mutex mutex_;
  std::condition_variable wake_;
  ParkedRequest* first_ = nullptr;  ///< watched, the earliest deadline first
  ParkedRequest* last_ = nullptr;
  ParkedRequest* ready_first_ = nullptr;
  ParkedRequest* ready_last_ = nullptr;
  std::size_t unfinished_ = 0;
  std::size_t interrupts_ = 0;   ///< watched requests that were interrupted
  std::int64_t looked_ns_ = 0;   ///< when deadlines and interrupts were last looked at
  bool look_now_ = false;        ///< look at deadlines and interrupts at once
  bool clock_running_ = false;   ///< one thread waits with a time-out
  bool watched_lately_ = false;  ///< since the last tick
  bool stopping_ = false;
  std::vector<std::thread> threads_;
};

}  // namespace mark6
