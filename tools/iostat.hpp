// SPDX-License-Identifier: MIT
// `mark6 iostat` with a world of one's own: what tests call. subcommands.hpp has run_iostat().
#pragma once

#include <string>
#include <vector>

#include "common/base/environment.hpp"
#include "common/base/exit_code.hpp"
#include "tools/iostat_sample.hpp"

namespace mark6 {

ExitCode run_iostat_in(const IostatWorld& world, const std::vector<std::string>& args,
                       Environment& environment);

}  // namespace mark6
