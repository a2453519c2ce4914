// SPDX-License-Identifier: MIT
// How a running stream is told to people: the line that is redrawn, the account of where the time
// went, and lists of missing blocks short enough to read. Text only; whoever calls prints it.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <mutex>
#include <span>
#include <string>
#include <thread>
#include <vector>

#include "common/account/stall_ledger.hpp"
#include "common/sg/scan_index.hpp"

namespace mark6 {

/// What a stream is, for its reports.
struct StreamLabels {
  std::string scan;
  std::uint64_t total_bytes = 0;   ///< to be delivered
  std::vector<std::string> disks;  ///< "2/5", by DiskIndex
};

/// What a stream has done at one instant; all zero at its start.
struct StreamSample {
  std::uint64_t bytes = 0;
  StallLedger::Snapshot time;
};

/// "SCAN  1.23 GB of 4.00 GB  31 %  928 MB/s (7.42 Gbit/s)  2.98 s left  waiting for 2/5 41 %, for
/// the sink 3 %". Rate and waiting are those since `before`, the time left is by the mean rate.
/// Where it would be longer than `columns` it loses the name, then its end.
std::string progress_line(const StreamLabels& labels, const StreamSample& before,
                          const StreamSample& now, std::size_t columns);

/// "disks 3.10 s (72 %): 2/5 2.50 s, 1/3 0.40 s, 3 others 0.20 s; sink 1.00 s (23 %); own work
/// 0.21 s (5 %)": the `top` disks that were waited for longest are named; the rest is summed up.
std::string time_account(const StallLedger::Snapshot& time, const std::vector<std::string>& disks,
                         std::size_t top);

/// "17, 33-40, 99-101 and 5 more ranges".
std::string ranges_text(std::span<const sg::BlockRange> ranges, std::size_t at_most);

/// Calls a function at an interval, on a thread of its own, until destroyed.
class Ticker {
 public:
  Ticker(std::chrono::milliseconds interval, std::function<void()> on_tick);
  ~Ticker();
  Ticker(const Ticker&) = delete;
  Ticker& operator=(const Ticker&) = delete;

 private:
  std::jthread thread_;
};

}  // namespace mark6
