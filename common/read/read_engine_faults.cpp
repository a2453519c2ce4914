// SPDX-License-Identifier: MIT
// What the engine does about disks that fail or do not answer. All on the reaper.
#include <algorithm>
#include <cerrno>
#include <utility>

#include "common/base/clock.hpp"
#include "common/read/read_engine.hpp"

namespace mark6 {
namespace {

/// Deadlines are looked at so often, in parts of them.
constexpr std::int64_t kLooksPerDeadline = 8;
constexpr std::int64_t kLongestWaitNs = 1'000'000'000;

}  // namespace

/// How long to wait for completions before somebody has to look for hung disks.
std::int64_t ReadEngine::wait_ns() const {
  if (in_flight_ == 0 || deadline_ns_ <= 0) return -1;
  return std::min(deadline_ns_ / kLooksPerDeadline, kLongestWaitNs);
}

void ReadEngine::look_for_hung_disks() {
  if (in_flight_ == 0 || deadline_ns_ <= 0) return;
  const std::int64_t now = monotonic_ns();
  if (now - looked_ns_ < wait_ns()) return;
  looked_ns_ = now;
  for (std::size_t i = 0; i < disks_.size(); ++i) {
    DiskQueue& disk = *disks_[i];
    for (ReadRequest* request : disk.in_flight) {
      const std::int64_t waited = now - request->issued_ns_;
      if (request->timed_out_ || waited < deadline_ns_) continue;
      request->timed_out_ = true;
      if (!std::exchange(disk.hung, true)) {
        disk.counters.hung_since(request->issued_ns_);
        if (on_hung_) on_hung_(DiskIndex(static_cast<std::uint32_t>(i)), true, waited);
      }
      request->timed_out();
    }
    if (disk.hung) fail_queued(disk);
  }
}

/// Nobody is to wait for a hung disk a second time.
void ReadEngine::fail_queued(DiskQueue& disk) {
  while (ReadRequest* request = next_for(disk)) {
    request->finished(request->wanted() ? ETIMEDOUT : ECANCELED);
  }
}

/// It has given an answer, if only that it could not.
void ReadEngine::answers_again(DiskQueue& disk, const ReadRequest& request, std::int64_t now_ns) {
  disk.hung = false;
  disk.counters.hung_since(0);
  if (on_hung_) on_hung_(request.disk, false, now_ns - request.issued_ns_);
}

/// A read of [done_, done_ + piece) has failed: find out what of it can be had.
void ReadEngine::narrow(DiskQueue& disk, ReadRequest* request, int error, std::int64_t now_ns) {
  BadRanges& bad = request->bad_;
  if (!request->narrow || !may_be_narrowed(error)) {
    bad.clear();
    return request->finished(error);
  }
  const std::uint32_t rest = request->length - request->done_;
  const std::uint32_t sector = std::max(request->alignment, BadRanges::kSectorBytes);
  // A disk repeats a bad sector for seconds; nobody waits for hundreds of them.
  if (deadline_ns_ > 0 && request->service_ns_ > deadline_ns_) {
    bad.give_up(request->done_, request->length);
    request->done_ = request->length;
  } else {
    request->done_ = bad.failed(request->done_, bad.piece(rest), request->length, sector);
  }
  if (request->done_ >= request->needed) return request->finished(EIO);
  request->tries_ = 0;
  disk.counters.retried();
  go_on(disk, request, now_ns);
}

}  // namespace mark6
