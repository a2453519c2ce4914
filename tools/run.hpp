// SPDX-License-Identifier: MIT
// The program `mark6` as a function: picks the subcommand and hands the rest of the line to it.
#pragma once

#include <string>
#include <vector>

#include "common/base/environment.hpp"
#include "common/base/exit_code.hpp"

namespace mark6 {

/// Runs `mark6` with `args` (without the program's name).
ExitCode run_mark6(const std::vector<std::string>& args, Environment& environment);

}  // namespace mark6
