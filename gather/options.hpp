// SPDX-License-Identifier: MIT
// The command line of mark6gather: what may be said, and what was said. What the positional
// arguments mean depends on what exists and is found out in inputs.hpp.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "common/base/error.hpp"
#include "common/base/log.hpp"
#include "common/read/read_engine.hpp"
#include "common/report/stats_exporter.hpp"

namespace mark6::gather {

enum class ProgressMode { kAuto, kAlways, kNever };

struct Options {
  std::vector<std::string> arguments;  ///< SCAN|GLOB|FRAGMENT... [OUT|-], in order
  std::optional<std::string> output;   ///< -o
  std::uint64_t skip_bytes = 0;        ///< of the flat scan
  std::optional<std::uint64_t> bytes;  ///< at most so many, behind skip_bytes
  bool append = false;
  bool force = false;
  bool follow = false;  ///< the scan is still being recorded
  std::int64_t follow_timeout_ns = 60'000'000'000;
  std::optional<std::uint64_t> memory_bytes;
  bool skip_errors = true;  ///< --errors=skip: leave out what cannot be read, and go on
  std::int64_t read_timeout_ns = kReadDeadlineNs;
  ProgressMode progress = ProgressMode::kAuto;
  std::vector<std::string> roots;  ///< globs of disk directories
  std::optional<std::string> meta_root;
  StatsExportOptions stats;  ///< --stats, --prometheus, --stats-interval
  Verbosity verbosity = Verbosity::kNormal;
  bool help = false;
  bool version = false;
};

/// The options in `args` (without the program's name). Errors: kUsage.
Result<Options> parse_options(const std::vector<std::string>& args);

/// What --help prints: at most 24 lines of 80 columns.
std::string_view help_text();

/// Every option as it is typed ("--skip", "-o"), for the test that the help names them all.
std::vector<std::string> option_names();

}  // namespace mark6::gather
