// SPDX-License-Identifier: MIT
// Where a stream's time went: waiting for disk X (it owed the head of the stream), waiting for the
// sink, own work. The entries add up to the elapsed time, because every instant is charged to
// exactly one of them.
#pragma once

#include <cstdint>
#include <mutex>
#include <vector>

#include "common/base/units.hpp"

namespace mark6 {

class StallLedger {
 public:
  /// `disks` disks; the clock starts at `now_ns`, charging own work.
  StallLedger(std::size_t disks, std::int64_t now_ns);

  /// From `now_ns` on the stream waits for `disk` / for the sink / works by itself. The time since
  /// the last call goes to what was said then. Thread-safe.
  void waiting_for_disk(DiskIndex disk, std::int64_t now_ns);
  void waiting_for_sink(std::int64_t now_ns);
  void working(std::int64_t now_ns);

  struct Snapshot {
    std::int64_t elapsed_ns = 0;
    std::int64_t sink_ns = 0;
    std::int64_t work_ns = 0;
    std::vector<std::int64_t> disk_ns;  ///< by DiskIndex
  };
  /// All entries up to `now_ns`; sink + work + all disks = elapsed, exactly.
  [[nodiscard]] Snapshot snapshot(std::int64_t now_ns) const;

 private:
  void charge(std::int64_t now_ns);

  mutable std::mutex mutex_;
  std::vector<std::int64_t> ns_;  ///< disks, then sink, then work
  std::size_t current_;
  std::int64_t started_ns_;
  std::int64_t since_ns_;
};

}  // namespace mark6
