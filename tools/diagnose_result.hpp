// SPDX-License-Identifier: MIT
// All that `mark6 diagnose` has found, as values: what is measured, what follows from it, and what
// it looks like (diagnose_output.hpp). What follows is worked out here, without measuring. Pure.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "common/account/verdict.hpp"
#include "common/base/exit_code.hpp"
#include "tools/diagnose_disks.hpp"
#include "tools/diagnose_groups.hpp"
#include "tools/diagnose_reader.hpp"

namespace mark6 {

/// A measurement with its name: "alone", "together", "step" (of --scaling), "group".
struct Phase {
  std::string name{};
  GroupMeasure measure{};
};

/// So many disks at once, and what share of what they give alone.
struct ScalingStep {
  std::size_t disks = 0;
  double bytes_per_s = 0;
  double alone_bytes_per_s = 0;
  double cpu_s_per_gb = 0;
  std::optional<double> machine_busy{};
  bool cpu_bound = false;

  [[nodiscard]] double efficiency() const {
    return alone_bytes_per_s > 0 ? bytes_per_s / alone_bytes_per_s : 0;
  }
};

/// Disks that share a bottleneck, and what it may be.
struct Bottleneck {
  SharedGroup group{};
  std::string why{};
  bool everybody = false;  ///< all disks that were measured
  bool cpu = false;        ///< it is the CPU
};

/// One disk: what it did, alone and with all others, and what to think of it. `alone` and
/// `together` are absent where it was not measured so.
struct DiskResult {
  std::optional<DiskActivity> alone{};
  double alone_bytes_per_s = 0;
  std::optional<DiskActivity> together{};
  double together_bytes_per_s = 0;
  DiskVerdict verdict{};
  bool held_up_by_others = false;  ///< slow only together with others: it is something they share
  std::uint64_t errors = 0;        ///< reads that failed, over all phases
  int last_error = 0;              ///< errno of the last one
  bool hung = false;
};

struct Diagnosis {
  std::vector<DiskUnderTest> disks{};
  std::vector<DiskResult> results{};  ///< of these disks, in their order
  std::vector<Phase> phases{};
  std::vector<ScalingStep> scaling{};
  std::vector<Bottleneck> shared{};
  std::vector<std::string> notes{};  ///< what qualifies the figures: no O_DIRECT, little data
  bool scaling_asked = false;
  bool out_of_time = false;
  double timeout_s = 0;

  /// The last phase of all disks together, or nullptr.
  [[nodiscard]] const Phase* all_together() const;
  /// What the measured disks give one by one, in bytes per second.
  [[nodiscard]] double alone_bytes_per_s() const;
};

/// Fills in `results` from the phases, and their verdicts.
void judge(Diagnosis& diagnosis);

/// Up to five lines: what is slow, how sure, what to try next. Call judge() first.
std::vector<std::string> summary_of(const Diagnosis& diagnosis);

/// "2/5 (sdr, ST4000NM0033, serial Z1Z0ABCD)", as far as it is known; safe to print.
std::string name_of(const DiskUnderTest& disk);

/// kIo: reads failed or a disk did not answer. kDamaged: slow or suspect disks, or some of the
/// disks (not all of them) share a bottleneck. kNotFound: nothing could be read.
ExitCode exit_code_of(const Diagnosis& diagnosis);

}  // namespace mark6
