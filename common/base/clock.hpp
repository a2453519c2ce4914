// SPDX-License-Identifier: MIT
// Monotonic time in nanoseconds: the unit of every stamp in the accounting.
#pragma once

#include <chrono>
#include <cstdint>

namespace mark6 {

/// CLOCK_MONOTONIC in ns.
inline std::int64_t monotonic_ns() {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(
             std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

/// ns as seconds, for reports.
inline double seconds(std::int64_t ns) { return static_cast<double>(ns) * 1e-9; }

}  // namespace mark6
