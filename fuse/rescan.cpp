// SPDX-License-Identifier: MIT
#include "fuse/rescan.hpp"

#include <algorithm>
#include <chrono>
#include <exception>
#include <utility>

#include "common/base/clock.hpp"
#include "common/base/log.hpp"

namespace mark6 {
namespace {

constexpr std::int64_t kLongestPatience = 10;  ///< spacings
/// A look that takes long (slow disks, many files) is made the more seldom.
constexpr std::int64_t kPauseByLook = 9;
/// Who asks for more names than this does not look for scans.
constexpr std::size_t kNames = 1000;

}  // namespace

Rescan::Rescan(Look look, std::int64_t spacing_ns)
    : look_(std::move(look)), spacing_ns_(spacing_ns), next_ns_(monotonic_ns() + spacing_ns) {}

void Rescan::want_now() {
  const std::lock_guard lock(mutex_);
  wanted_now_ = true;
  start(lock);
}

void Rescan::want(Answer done) {
  {
    const std::lock_guard lock(mutex_);
    if (!stopping_) {
      wanted_ = true;
      if (done) waiting_.push_back(std::move(done));
      start(lock);
      return;
    }
  }
  if (done) done();
}

bool Rescan::is_due(const std::string& name) {
  if (name.starts_with('.')) return false;
  const std::lock_guard lock(mutex_);
  const std::int64_t now_ns = monotonic_ns();
  if (stopping_ || looking_ || wanted_ || wanted_now_ || now_ns < next_ns_) return false;
  if (names_.size() >= kNames) names_.clear();
  Patience& patience = names_[name];
  if (now_ns < patience.next_ns) return false;
  patience.wait_ns = std::clamp(2 * patience.wait_ns, spacing_ns_, kLongestPatience * spacing_ns_);
  patience.next_ns = now_ns + patience.wait_ns;
  return true;
}

void Rescan::found(const std::vector<std::string>& names) {
  const std::lock_guard lock(mutex_);
  for (const auto& name : names) names_.erase(name);
}

void Rescan::stop() {
  std::vector<Answer> waiting;
  std::thread thread;
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
    waiting.swap(waiting_);
    thread.swap(thread_);
  }
  wake_.notify_all();
  for (const auto& done : waiting) done();
  if (thread.joinable()) thread.join();
}

/// Sees to it that the thread runs; the mutex is held.
void Rescan::start(const std::lock_guard<std::mutex>& /*lock*/) {
  if (stopping_) return;
  if (!thread_.joinable()) thread_ = std::thread([this] { serve(); });
  wake_.notify_all();
}

void Rescan::serve() {
  std::unique_lock lock(mutex_);
  while (!stopping_) {
    const std::int64_t wait_ns = next_ns_ - monotonic_ns();
    if (wanted_ && !wanted_now_ && wait_ns > 0) {
      wake_.wait_for(lock, std::chrono::nanoseconds(wait_ns));
      continue;
    }
    if (!wanted_ && !wanted_now_) {
      wake_.wait(lock);
      continue;
    }
    wanted_ = wanted_now_ = false;
    looking_ = true;
    std::vector<Answer> waiting = std::exchange(waiting_, {});
    lock.unlock();
    const std::int64_t began_ns = monotonic_ns();
    try {
      look_([&waiting] { answer_all(waiting); });
    } catch (const std::exception& exception) {
      spdlog::error("cannot look for scans: {}", exception.what());
    }
    answer_all(waiting);
    const std::int64_t ended_ns = monotonic_ns();
    lock.lock();
    looking_ = false;
    next_ns_ = std::max(began_ns + spacing_ns_, ended_ns + kPauseByLook * (ended_ns - began_ns));
  }
}

void Rescan::answer_all(std::vector<Answer>& waiting) {
  for (const auto& done : std::exchange(waiting, {})) done();
}

}  // namespace mark6
