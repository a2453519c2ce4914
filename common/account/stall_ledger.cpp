// SPDX-License-Identifier: MIT
#include "common/account/stall_ledger.hpp"

#include <algorithm>

namespace mark6 {

StallLedger::StallLedger(std::size_t disks, std::int64_t now_ns)
    : ns_(disks + 2, 0), current_(disks + 1), started_ns_(now_ns), since_ns_(now_ns) {}

void StallLedger::charge(std::int64_t now_ns) {
  // Stamps of two threads may arrive out of order by a little; no time is counted twice.
  const std::int64_t until = std::max(now_ns, since_ns_);
  ns_[current_] += until - since_ns_;
  since_ns_ = until;
}

void StallLedger::waiting_for_disk(DiskIndex disk, std::int64_t now_ns) {
  const std::lock_guard lock(mutex_);
  charge(now_ns);
  current_ = std::min<std::size_t>(disk.value, ns_.size() - 3);
}

void StallLedger::waiting_for_sink(std::int64_t now_ns) {
  const std::lock_guard lock(mutex_);
  charge(now_ns);
  current_ = ns_.size() - 2;
}

void StallLedger::working(std::int64_t now_ns) {
  const std::lock_guard lock(mutex_);
  charge(now_ns);
  current_ = ns_.size() - 1;
}

StallLedger::Snapshot StallLedger::snapshot(std::int64_t now_ns) const {
  const std::lock_guard lock(mutex_);
  std::vector<std::int64_t> ns = ns_;
  const std::int64_t until = std::max(now_ns, since_ns_);
  ns[current_] += until - since_ns_;
  Snapshot s;
  s.elapsed_ns = until - started_ns_;
  s.work_ns = ns.back();
  s.sink_ns = ns[ns.size() - 2];
  ns.resize(ns.size() - 2);
  s.disk_ns = std::move(ns);
  return s;
}

}  // namespace mark6
