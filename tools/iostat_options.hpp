// SPDX-License-Identifier: MIT
// The command line of `mark6 iostat`.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "common/base/environment.hpp"
#include "common/base/exit_code.hpp"
#include "tools/iostat_output.hpp"

namespace mark6 {

struct IostatOptions {
  std::vector<std::string> roots;
  std::optional<std::int64_t> interval_ns;  ///< absent: one report, since boot
  std::optional<std::uint64_t> count;       ///< absent: until stopped
  bool skip_first = false;                  ///< -y
  bool json = false;
  bool map = false;
  bool quiet = false;
  IostatView view;
};

struct IostatLine {
  IostatOptions options;
  std::optional<ExitCode> exit;  ///< the program is done: help, version, or a mistake
};

/// Parses, and tells mistakes on stderr.
IostatLine parse_iostat_line(const std::vector<std::string>& args, Environment& environment);

/// Seconds as given, to ns. Errors: kUsage (no number, less than 0.1, more than a year).
Result<std::int64_t> parse_interval(const std::string& word);

/// How many reports. Errors: kUsage (no whole number, 0).
Result<std::uint64_t> parse_count(const std::string& word);

}  // namespace mark6
