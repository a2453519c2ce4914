// SPDX-License-Identifier: MIT
#include "tools/check_options.hpp"

#include "tools/command_line.hpp"

namespace mark6 {
namespace {

constexpr const char* kExamples =
    R"(Checks all scans, or those named: SCAN is a name, with or without .vdif, or a quoted pattern.
Every block header of every fragment is read, the disks at the same time; nothing is written.
Modules are looked for in --root, else in MARK6_ROOT, else in /mnt/disks/*/*.

examples:
  mark6 check exp1_st_no0001                 what is wrong with one scan
  mark6 check --json --root '/mnt/disks/[12]/*' 'exp1_*' | jq '.scans[] | select(.exit_bits > 0)'

exit codes: 0 clean; 2 usage, 3 no such scan, 4 I/O error, 5 stopped. 1 and more is a sum of
  1 something was found    8 blocks are missing           16 a disk or a module is missing
                          32 damage inside of fragments, disagreement, blocks that stand twice)";

void declare(CLI::App& app, CheckOptions& options) {
  set_usage(app, "[options] [SCAN|PATTERN...]");
  app.footer(kExamples);
  app.set_version_flag("--version", "mark6 " MARK6_VERSION, "print the version");
  // A --root takes one word; without this it would swallow the names of scans behind it.
  app.add_option("--root", options.roots, "disk directories (a quoted glob; may be repeated)")
      ->type_name("GLOB")
      ->allow_extra_args(false);
  app.add_option("--meta-root", options.meta_root, "metadata of the modules (MARK6_META_ROOT)")
      ->type_name("DIR");
  app.add_flag("--json", options.json, "one JSON object instead of the tables");
  app.add_flag("-q,--quiet", options.quiet, "errors only on stderr, no progress");
  app.add_flag("-v,--verbose", options.verbose, "say what is looked at");
}

}  // namespace

CheckLine parse_check_line(const std::vector<std::string>& args, Environment& environment) {
  CheckLine result;
  CheckOptions& options = result.options;
  CLI::App app("Checks the structure of recordings on Mark6 modules.", "mark6 check");
  declare(app, options);
  ParsedLine line = parse_command_line(app, args, environment);
  result.exit = line.exit;
  options.words = std::move(line.words);
  if (!result.exit && options.quiet && options.verbose) {
    static_cast<void>(write_text(environment.stderr_fd,
                                 "mark6 check: -q and -v exclude each other; give one of them\n"));
    result.exit = ExitCode::kUsage;
  }
  return result;
}

}  // namespace mark6
