// SPDX-License-Identifier: MIT
#include "tools/iostat_running.hpp"

namespace mark6 {

std::vector<StatsSnapshot> running_programs() { return {}; }

}  // namespace mark6
