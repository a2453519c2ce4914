// SPDX-License-Identifier: MIT
// What a device did between two readings of /proc/diskstats, in the columns of sysstat's
// `iostat -x` (version 12): same names, same definitions (iostat(1)), so that figures can be
// compared with it. The kernel's view: all programs' requests, not just ours.
#pragma once

#include <span>
#include <string_view>

#include "common/account/disk_stats.hpp"

namespace mark6 {

/// Whether the columns can be believed.
enum class Comparison {
  kFine,      ///< counters went on, or wrapped at 2^32 or 2^64 as they do
  kAppeared,  ///< it appeared in between, or another one under its number: counted from 0, as by
              ///< sysstat
  kNone,      ///< a counter went backwards for no such reason, or no time passed: all columns are 0
};

/// Columns for one kind of request. kB are 1024 bytes.
struct KindActivity {
  double per_s = 0;           ///< r/s: requests completed
  double kb_per_s = 0;        ///< rkB/s
  double merged_per_s = 0;    ///< rrqm/s: requests that went along in another one
  double merged_percent = 0;  ///< %rrqm: share of these among all that were queued
  double await_ms = 0;        ///< r_await: from queueing to completion, mean
  double request_kb = 0;      ///< rareq-sz: size of a request, mean
};

struct KernelActivity {
  Comparison comparison = Comparison::kNone;
  KindActivity reads, writes, discards;
  double flushes_per_s = 0;   ///< f/s
  double flush_await_ms = 0;  ///< f_await
  double queue_length = 0;    ///< aqu-sz: requests in flight, mean
  double busy_percent = 0;    ///< %util: time with a request in flight. Not how loaded a disk is.
};

/// From `before` to `after`, `seconds` apart; `before` nullptr: the device was not there (its
/// counters are then of this interval; or, when `seconds` is the time since boot, iostat's first
/// report).
KernelActivity kernel_activity(const DiskCounters* before, const DiskCounters& after,
                               double seconds);

/// A column as `iostat -x` has it, two decimals there.
struct IostatColumn {
  std::string_view name;  ///< "r/s"
  double (*value)(const KernelActivity&);
};

/// All columns of `iostat -x` in its order, from "r/s" to "%util".
std::span<const IostatColumn> iostat_columns();

}  // namespace mark6
