// SPDX-License-Identifier: MIT
// The subcommands of `mark6`: one function each, in a file of its own name. They take what stands
// behind the subcommand's name, and may be called from tests.
#pragma once

#include <string>
#include <vector>

#include "common/base/environment.hpp"
#include "common/base/exit_code.hpp"

namespace mark6 {

/// `mark6 list`: which scans lie on the modules, and in which state (list.cpp).
ExitCode run_list(const std::vector<std::string>& args, Environment& environment);

/// `mark6 check`: what is wrong with the structure of scans (check.cpp).
ExitCode run_check(const std::vector<std::string>& args, Environment& environment);

/// `mark6 filelist`: file lists for vex2difx (filelist.cpp).
ExitCode run_filelist(const std::vector<std::string>& args, Environment& environment);

/// `mark6 diagnose`: which disk is slow, how sure that is, what to try next (diagnose.cpp).
ExitCode run_diagnose(const std::vector<std::string>& args, Environment& environment);

/// `mark6 iostat`: what the disks of the modules do, and which are slow (iostat.cpp).
ExitCode run_iostat(const std::vector<std::string>& args, Environment& environment);

/// `mark6 synth`: makes recordings for tests and demonstrations (synth.cpp).
ExitCode run_synth(const std::vector<std::string>& args, Environment& environment);

}  // namespace mark6
