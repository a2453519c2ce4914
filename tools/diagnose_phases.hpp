// SPDX-License-Identifier: MIT
// The measurements of `mark6 diagnose`, in their order: which disks are read together, and for how
// long.
#pragma once

#include <functional>
#include <stop_token>
#include <string>

#include "tools/diagnose_reader.hpp"
#include "tools/diagnose_result.hpp"

namespace mark6 {

/// What is being done, for whoever watches: one line, safe to print.
using Progress = std::function<void(const std::string&)>;

struct PhaseOptions {
  double seconds = 28;  ///< all measurements should take no longer
  std::stop_token stop{};
  Progress progress{};
};

/// Each disk alone, then all together. Fills in phases, and what failed.
void measure_quick(PackReader& reader, Diagnosis& diagnosis, const PhaseOptions& options);

/// Each disk alone, then 2, 4, 8 ... all of them, and where they fall short the groups that share.
/// Fills in phases, scaling, shared, out_of_time, and what failed.
void measure_scaling(PackReader& reader, Diagnosis& diagnosis, const PhaseOptions& options);

/// How long each of `disks` is read alone when all measurements may take `seconds`, `others_s` of
/// it for those of several disks.
double alone_seconds(double seconds, double others_s, std::size_t disks);

/// 2, 4, 8 ... below `disks`, and `disks` itself; nothing when there are less than two.
std::vector<std::size_t> step_sizes(std::size_t disks);

}  // namespace mark6
