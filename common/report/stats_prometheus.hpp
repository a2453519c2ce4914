// SPDX-License-Identifier: MIT
// A snapshot as text for Prometheus (exposition format 0.0.4), as node_exporter's textfile
// collector takes it: base units, _total counters, one histogram per disk. The metrics are listed
// in docs/reference/stats.md.
#pragma once

#include <string>

#include "common/report/stats.hpp"

namespace mark6 {

/// Every metric has HELP and TYPE and all its samples in one place. What is not known of a device
/// is an empty label. Streams of the same scan are summed up.
std::string prometheus_text(const StatsSnapshot& stats);

/// What the text begins with.
inline constexpr const char* kPrometheusMark = "# HELP mark6_";

}  // namespace mark6
