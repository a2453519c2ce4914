// SPDX-License-Identifier: MIT
#include "tools/run.hpp"

#include <fmt/format.h>

#include <array>
#include <exception>
#include <string_view>

#include "common/base/escape.hpp"
#include "tools/subcommands.hpp"

namespace mark6 {
namespace {

struct Subcommand {
  std::string_view name;
  std::string_view help;  ///< one line
  ExitCode (*run)(const std::vector<std::string>& args, Environment& environment);
};

/// In the order in which --help shows them. A new subcommand is a line here, a declaration in
/// subcommands.hpp and a file of its own.
constexpr std::array kSubcommands{
    Subcommand{"list", "which scans lie on the modules, and in which state", run_list},
    Subcommand{"check", "what is wrong with scans: every block header is looked at", run_check},
    Subcommand{"filelist", "which scan holds which time, as vex2difx reads it", run_filelist},
    Subcommand{"diagnose", "which disk is slow, how sure that is, what to try next", run_diagnose},
    Subcommand{"iostat", "what the disks of the modules do, and which are slow", run_iostat},
    Subcommand{"synth", "make a recording, for tests and demonstrations", run_synth},
};

std::string usage() {
  std::string text =
      "usage: mark6 SUBCOMMAND [options] ...\n\n"
      "List, check, make and diagnose recordings on Mark6 modules.\n\nsubcommands:\n";
  for (const Subcommand& subcommand : kSubcommands) {
    text += fmt::format("  {:<10} {}\n", subcommand.name, subcommand.help);
  }
  text +=
      "\nmark6 SUBCOMMAND --help tells more. mark6 --version prints the version.\n"
      "To mount modules use mark6fs, to stream a scan mark6gather.\n";
  return text;
}

/// The answer to a question about the program itself. A reader that has left is no error.
ExitCode answer(Environment& environment, std::string_view text) {
  const auto written = write_text(environment.stdout_fd, text);
  return written ? ExitCode::kDelivered : exit_code_of(written.error().code);
}

ExitCode misuse(Environment& environment, const std::string& text) {
  static_cast<void>(write_text(environment.stderr_fd, text));
  return ExitCode::kUsage;
}

ExitCode run_guarded(const Subcommand& subcommand, const std::vector<std::string>& args,
                     Environment& environment) {
  // The one place where an exception (a bug, or memory run out) becomes an exit code.
  try {
    return subcommand.run(args, environment);
  } catch (const std::exception& exception) {
    static_cast<void>(write_text(
        environment.stderr_fd,
        fmt::format("mark6 {}: internal error: {}\n", subcommand.name, escaped(exception.what()))));
    return ExitCode::kIo;
  }
}

}  // namespace

ExitCode run_mark6(const std::vector<std::string>& args, Environment& environment) {
  if (args.empty()) return misuse(environment, usage());
  const std::string& word = args.front();
  if (word == "--help" || word == "-h" || word == "help") return answer(environment, usage());
  if (word == "--version") return answer(environment, "mark6 " MARK6_VERSION "\n");
  for (const Subcommand& subcommand : kSubcommands) {
    if (subcommand.name == word) {
      return run_guarded(subcommand, {args.begin() + 1, args.end()}, environment);
    }
  }
  return misuse(environment, fmt::format("mark6: {}: no such subcommand; mark6 --help names them\n",
                                         escaped(word)));
}

}  // namespace mark6
