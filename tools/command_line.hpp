// SPDX-License-Identifier: MIT
// What all subcommands do alike with CLI11: its exceptions become exit codes here, help goes to
// stdout and complaints to stderr; and words that are not options are taken literally.
#pragma once

#include <CLI/CLI.hpp>
#include <optional>
#include <string>
#include <vector>

#include "common/base/environment.hpp"
#include "common/base/exit_code.hpp"

namespace mark6 {

/// The words of a command line that are no options.
struct ParsedLine {
  std::vector<std::string> words;
  std::optional<ExitCode> exit;  ///< the program is done: help, version, or a mistake
};

/// Has --help begin with "usage: <name of the app> `words`". CLI11 would leave out what is no
/// option.
void set_usage(CLI::App& app, std::string words);

/// Parses `args` by `app` (which declares options, no positionals), writes help, version or the
/// mistake. CLI11's own positionals are not used: it takes "[a,b]" for a list, and a scan may be
/// called so.
ParsedLine parse_command_line(CLI::App& app, const std::vector<std::string>& args,
                              Environment& environment);

}  // namespace mark6
