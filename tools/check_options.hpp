// SPDX-License-Identifier: MIT
// The command line of `mark6 check`.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "common/base/environment.hpp"
#include "common/base/exit_code.hpp"
#include "tools/frame_check.hpp"

namespace mark6 {

struct CheckOptions {
  std::vector<std::string> roots;
  std::string meta_root;
  bool json = false;
  bool quiet = false;
  bool verbose = false;
  FrameCheckOptions frames;
  std::vector<std::string> words;  ///< scans, or patterns of their names
};

struct CheckLine {
  CheckOptions options;
  std::optional<ExitCode> exit;  ///< the program is done: help, version, or a mistake
};

/// Parses, and tells mistakes on stderr.
CheckLine parse_check_line(const std::vector<std::string>& args, Environment& environment);

}  // namespace mark6
