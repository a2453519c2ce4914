// SPDX-License-Identifier: MIT
// The one place that knows how running programs of ours are found.
#pragma once

#include <vector>

#include "common/report/stats.hpp"

namespace mark6 {

/// What each running mark6fs and mark6gather of this user says of itself now. Those that do not
/// answer are left out.
std::vector<StatsSnapshot> running_programs();

}  // namespace mark6
