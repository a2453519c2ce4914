// SPDX-License-Identifier: MIT
// CPU time since a moment: of this process (getrusage), and of the whole machine (/proc/stat,
// proc_stat(5): the kernel's threads and interrupts that work for our reads are only there).
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace mark6 {

/// The first line of /proc/stat in ticks, of all CPUs together.
struct MachineTicks {
  std::uint64_t busy = 0;
  std::uint64_t all = 0;
};

/// From the text of /proc/stat; nothing when it is anything else. Idle is idle and iowait.
std::optional<MachineTicks> parse_machine_ticks(std::string_view text);

class CpuClock {
 public:
  /// Counts from now on.
  CpuClock();
  /// CPU seconds of this process since.
  [[nodiscard]] double own_s() const;
  /// Share of the CPUs' time that was used since, by whomever; nothing when it is not known, or
  /// after less than 20 ticks.
  [[nodiscard]] std::optional<double> machine_busy() const;

 private:
  double own_s_;
  std::optional<MachineTicks> machine_;
};

}  // namespace mark6
