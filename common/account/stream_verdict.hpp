// SPDX-License-Identifier: MIT
// What limits a stream: one disk (or a few), all disks together, its sink, or its own work. From
// the stall ledger, with the verdicts on the disks beside it: the ledger says who was waited for,
// the verdict whether that disk is to blame. Pure.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "common/account/stall_ledger.hpp"
#include "common/account/verdict.hpp"

namespace mark6 {

enum class StreamLimit {
  kUnknown,  ///< too little time has passed
  kDisk,     ///< a disk, or a few: they are slow or suspect, and most waiting was for them
  kDisks,    ///< all disks together: the stream is as fast as they are
  kSink,     ///< whoever takes the bytes
  kWork,     ///< the program itself
};

/// "unknown", "disk", "disks", "sink", "work".
std::string_view to_string(StreamLimit limit);

struct StreamVerdict {
  StreamLimit limit = StreamLimit::kUnknown;
  std::vector<std::size_t> disks{};  ///< kDisk: which, the longest waited for first
  double share = 0;                  ///< of the elapsed time that went to what limits, 0..1
  /// "limited by the sink: waiting for the sink 93 %, for disks 5 % (longest 2/6, 1 %), own work
  /// 2 %". Never empty.
  std::string reason{};
};

/// `time.disk_ns`, `disks` and `verdicts` are in the same order, over the same span.
StreamVerdict judge_stream(const StallLedger::Snapshot& time, std::span<const DiskActivity> disks,
                           std::span<const DiskVerdict> verdicts);

/// The ledger of the interval between two looks at it.
StallLedger::Snapshot interval(const StallLedger::Snapshot& before,
                               const StallLedger::Snapshot& now);

}  // namespace mark6
