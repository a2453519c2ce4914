// SPDX-License-Identifier: MIT
#include "fuse/reply_queue.hpp"

#include <algorithm>
#include <cerrno>

#include "common/base/clock.hpp"

namespace mark6 {
namespace {

using std::chrono::milliseconds;
using std::chrono::nanoseconds;

/// How often deadlines are looked at. Coarse, so that a streaming reader costs no wake-ups.
nanoseconds tick_for(nanoseconds timeout) {
  return std::clamp<nanoseconds>(timeout / 8, milliseconds(5), milliseconds(500));
}

/// How often it is looked whether an interrupted reader is being killed: a signal that the reader
/// handles must not fail its read, and the kernel tells us of the first signal only.
constexpr nanoseconds kInterruptTick = milliseconds(100);

}  // namespace

ReplyQueue::ReplyQueue(std::size_t threads, nanoseconds timeout)
    : timeout_ns_(timeout.count()), tick_(tick_for(timeout)) {
  for (std::size_t i = 0; i < threads; ++i) {
    threads_.emplace_back([this] { serve(); });
  }
}

ReplyQueue::~ReplyQueue() { stop(); }

void ReplyQueue::watch(ParkedRequest& request) {
  const std::lock_guard lock(mutex_);
  // All requests have the same time, so the order of arrival is the order of the deadlines.
  request.deadline_ns_ = monotonic_ns() + timeout_ns_;
  request.earlier_ = last_;
  request.later_ = nullptr;
  (last_ == nullptr ? first_ : last_->later_) = &request;
  last_ = &request;
  if (request.interrupted_) ++interrupts_;
  ++unfinished_;
  watched_lately_ = true;
}

void ReplyQueue::waiting() {
  const std::lock_guard lock(mutex_);
  if (!clock_running_) wake_.notify_one();
}

void ReplyQueue::ready(ParkedRequest& request) {
  const std::lock_guard lock(mutex_);
  request.next_ready_ = nullptr;
  (ready_last_ == nullptr ? ready_first_ : ready_last_->next_ready_) = &request;
  ready_last_ = &request;
  wake_.notify_one();
}

void ReplyQueue::answer_now(ParkedRequest& request) {
  std::unique_lock lock(mutex_);
  complete(request, lock);
}

void ReplyQueue::interrupted(ParkedRequest& request) {
  const std::lock_guard lock(mutex_);
  if (request.claimed_ || request.interrupted_) return;
  request.interrupted_ = true;
  const bool watched = request.deadline_ns_ != 0;
  if (watched) ++interrupts_;
  look_now_ = true;
  wake_.notify_one();
}

std::size_t ReplyQueue::unfinished() const {
  const std::lock_guard lock(mutex_);
  return unfinished_;
}

void ReplyQueue::stop() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
    look_now_ = true;
  }
  wake_.notify_all();
  for (auto& thread : threads_) thread.join();
  threads_.clear();
}

void ReplyQueue::serve() {
  std::unique_lock lock(mutex_);
  while (true) {
    int error = 0;
    if (ParkedRequest* late = next_expired(error); late != nullptr) {
      fail(*late, error, lock);
    } else if (ready_first_ != nullptr) {
      ParkedRequest& request = *ready_first_;
      ready_first_ = request.next_ready_;
      if (ready_first_ == nullptr) ready_last_ = nullptr;
      complete(request, lock);
    } else if (stopping_ && unfinished_ == 0) {
      wake_.notify_all();
      return;
    } else {
      wait(lock);
    }
  }
}

/// Waits for work. One thread at a time keeps the clock while anything is watched; when a whole
/// tick has passed without anything, it sleeps like the others.
void ReplyQueue::wait(std::unique_lock<std::mutex>& lock) {
  if (clock_running_ || (first_ == nullptr && !watched_lately_)) {
    wake_.wait(lock);
    return;
  }
  clock_running_ = true;
  if (wake_.wait_for(lock, tick()) == std::cv_status::timeout) watched_lately_ = first_ != nullptr;
  clock_running_ = false;
}

nanoseconds ReplyQueue::tick() const {
  return interrupts_ > 0 ? std::min(tick_, kInterruptTick) : tick_;
}

/// A watched request that must not wait longer, and why; nullptr when there is none.
ParkedRequest* ReplyQueue::next_expired(int& error) {
  const std::int64_t now_ns = monotonic_ns();
  if (!look_now_ && now_ns - looked_ns_ < tick().count()) return nullptr;
  if (first_ != nullptr && (stopping_ || first_->deadline_ns_ <= now_ns)) {
    error = stopping_ ? ENODEV : ETIMEDOUT;
    return first_;
  }
  if (interrupts_ > 0) {
    for (auto* request = first_; request != nullptr; request = request->later_) {
      if (!request->interrupted_ || !request->abandoned()) continue;
      error = EINTR;
      return request;
    }
  }
  look_now_ = false;
  looked_ns_ = now_ns;
  return nullptr;
}

/// Answers `request` before its result has come.
void ReplyQueue::fail(ParkedRequest& request, int error, std::unique_lock<std::mutex>& lock) {
  request.claimed_ = true;
  unlink(request);
  lock.unlock();
  request.answer(error);
  lock.lock();
  request.answered_ = true;
  if (request.result_came_) finish(request, lock);
}

/// The result of `request` has come: answers it, unless that has been done.
void ReplyQueue::complete(ParkedRequest& request, std::unique_lock<std::mutex>& lock) {
  if (request.claimed_) {
    request.result_came_ = true;  // while fail() is answering, it will finish
    if (request.answered_) finish(request, lock);
    return;
  }
  request.claimed_ = true;
  unlink(request);
  lock.unlock();
  request.answer(0);
  lock.lock();
  finish(request, lock);
}

void ReplyQueue::finish(ParkedRequest& request, std::unique_lock<std::mutex>& lock) {
  request.claimed_ = request.answered_ = request.result_came_ = request.interrupted_ = false;
  request.deadline_ns_ = 0;
  lock.unlock();
  request.finished();
  lock.lock();
  if (--unfinished_ == 0 && stopping_) wake_.notify_all();
}

void ReplyQueue::unlink(ParkedRequest& request) {
  (request.earlier_ == nullptr ? first_ : request.earlier_->later_) = request.later_;
  (request.later_ == nullptr ? last_ : request.later_->earlier_) = request.earlier_;
  if (request.interrupted_) --interrupts_;
}

}  // namespace mark6
