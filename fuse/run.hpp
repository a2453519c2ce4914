// SPDX-License-Identifier: MIT
// The program mark6fs without its main(), so that tests can run it.
#pragma once

#include <string>
#include <vector>

#include "common/base/environment.hpp"
#include "common/base/exit_code.hpp"

namespace mark6 {

/// Does what `args` (without the program's name) ask for. In the foreground (-f) it returns when
/// the file system was unmounted; else the caller forks, and both processes return from here.
ExitCode run_mark6fs(const std::vector<std::string>& args, Environment& environment);

}  // namespace mark6
