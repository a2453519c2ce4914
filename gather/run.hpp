// SPDX-License-Identifier: MIT
// The program mark6gather, as a function: it runs in a test as it does in a shell.
#pragma once

#include <string>
#include <vector>

#include "common/base/environment.hpp"
#include "common/base/exit_code.hpp"

namespace mark6::gather {

/// Runs mark6gather with `args` (without the program's name). Only the scan's bytes go to stdout.
ExitCode run_gather(const std::vector<std::string>& args, Environment& environment);

}  // namespace mark6::gather
