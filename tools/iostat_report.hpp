// SPDX-License-Identifier: MIT
// One report of `mark6 iostat`: what every disk did between two samples, by the kernel and by our
// own programs, and what to think of it. Pure; iostat_output.hpp writes it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "common/account/kernel_activity.hpp"
#include "common/account/verdict.hpp"
#include "tools/iostat_sample.hpp"

namespace mark6 {

/// What our programs did to a disk, all of them together.
struct OurActivity {
  double bytes_per_s = 0;
  double requests_per_s = 0;
  /// Share of the time that streams stood still for it; with several streams it may exceed 1.
  double stall_share = 0;
  double p99_s = 0;  ///< the worst program's, over its own last seconds (StatsSnapshot::span_s)
  std::uint64_t errors = 0;
};

/// Who judged a disk.
enum class VerdictBy {
  kNobody,
  kProgram,  ///< a running program of ours, by its own counters
  kKernel,   ///< we, by the kernel's sums: weaker, for these hold no distribution and no stalls
};

struct IostatRow {
  WatchedDisk disk;
  /// Others that stand on the same device ("1/0", ...): the kernel's figures are of all of them.
  std::vector<std::string> shared_with;
  std::optional<KernelActivity> kernel;  ///< absent where the kernel counts nothing for it
  std::optional<OurActivity> ours;       ///< absent where no program of ours has it open
  DiskVerdict verdict;
  VerdictBy verdict_by = VerdictBy::kNobody;
  std::optional<std::uint64_t> blocks;
  std::optional<double> block_share;

  /// "sdr"; "?" when not known.
  [[nodiscard]] std::string device() const { return disk.identity.kernel_name.value_or("?"); }
};

struct IostatTotal {
  std::optional<KernelActivity> kernel;  ///< each device once; see sum_of()
  std::optional<OurActivity> ours;       ///< sums; of p99 the largest
};

struct IostatModule {
  std::string module;  ///< "" for disks without one
  std::string msn;
  std::vector<IostatRow> rows;
  IostatTotal total;
};

enum class ReportKind { kSinceBoot, kInterval, kAverage };

/// A program of ours, for the lines above the table.
struct IostatProgram {
  std::string program, target;
  std::int64_t pid = 0;
  double bytes_per_s = 0;           ///< read from disks, over the time of the report
  std::vector<std::string> limits;  ///< per stream: what limits it
};

struct IostatReport {
  ReportKind kind = ReportKind::kInterval;
  double seconds = 0;  ///< how long; since boot: the uptime
  double time_s = 0;   ///< its end, since 1970
  std::vector<IostatProgram> programs;
  std::vector<IostatModule> modules;
  IostatTotal total;
};

/// From `before` to `after`; verdicts by the kernel's figures are about the time since
/// `judged_from`, an earlier sample. Disks that a program reads and that are not in `disks` get
/// rows as well.
IostatReport interval_report(std::span<const WatchedDisk> disks, const IostatSample& before,
                             const IostatSample& after, const IostatSample& judged_from);

/// Since the machine was booted; for our programs since they began. The kernel's figures are not
/// judged: disks that were plugged in at different times have done different things.
IostatReport since_boot_report(std::span<const WatchedDisk> disks, const IostatSample& now);

/// The mean of interval reports, as each is added; p99 is the largest that was seen, verdicts are
/// the latest that were not unknown.
class IostatAverage {
 public:
  void add(const IostatReport& report);
  [[nodiscard]] std::size_t reports() const { return reports_; }
  /// From `first` to `last`, the samples around all that was added.
  [[nodiscard]] IostatReport report(const IostatSample& first, const IostatSample& last) const;

 private:
  struct Sums {
    IostatRow latest;
    double bytes = 0, requests = 0, stall_s = 0, p99_s = 0;
    std::uint64_t errors = 0;
    bool ours = false;
  };
  std::vector<Sums> sums_;  ///< in the order of appearance
  std::size_t reports_ = 0;
};

}  // namespace mark6
