// SPDX-License-Identifier: MIT
// `mark6 diagnose` behind its command line, so that tests can put in a backend that fails.
#pragma once

#include <string>
#include <vector>

#include "common/base/environment.hpp"
#include "common/base/exit_code.hpp"
#include "common/read/read_backend.hpp"

namespace mark6 {

/// run_diagnose() with reads that go through `backend`.
ExitCode run_diagnose_with(const BackendFactory& backend, const std::vector<std::string>& args,
                           Environment& environment);

}  // namespace mark6
