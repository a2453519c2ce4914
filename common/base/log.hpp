// SPDX-License-Identifier: MIT
// The talk: one spdlog logger on stderr (or syslog-style without colour for a daemon). Data and
// answers never go through here.
#pragma once

#include <spdlog/spdlog.h>

#include <string>

namespace mark6 {

/// How much a program says: -q warnings and errors only, -v debug.
enum class Verbosity { kQuiet, kNormal, kVerbose };

/// Makes the process-wide logger write to the descriptor `fd` as "program: message" (daemons and
/// -v add a time stamp). Call it once, after daemonising and before threads start.
void set_up_log(const std::string& program, Verbosity verbosity, int fd);

}  // namespace mark6
