// SPDX-License-Identifier: MIT
#include "tools/check_options.hpp"

#include "tools/command_line.hpp"

namespace mark6 {
namespace {

constexpr const char* kExamples =
    R"(Checks all scans, or those named: SCAN is a name, with or without .vdif, or a quoted pattern.
Every block header is read, and with --vdif frames in 16 places of each scan; nothing is written.
Modules are looked for in --root, else in MARK6_ROOT, else in /mnt/disks/*/*.

examples:
  mark6 check --vdif --full exp1_st_no0001   what is wrong with one scan and all its frames
  mark6 check --json --root '/mnt/disks/[12]/*' 'exp1_*' | jq '.scans[] | select(.exit_bits > 0)'

exit codes: 0 clean; 2 usage, 3 no such scan, 4 I/O error, 5 stopped. 1 and more is a sum of
  1 something was found    8 blocks are missing    16 a disk or a module is missing
  32 fragments are damaged or disagree             64 frames are missing or wrong)";

/// What is given of --full and --sample, before it is known whether it makes sense.
struct FrameWords {
  bool full = false;
  std::int64_t stretches = 0;
};

void declare(CLI::App& app, CheckOptions& options, FrameWords& frames) {
  set_usage(app, "[options] [SCAN|PATTERN...]");
  app.footer(kExamples);
  app.set_version_flag("--version", "mark6 " MARK6_VERSION, "print the version");
  // A --root takes one word; without this it would swallow the names of scans behind it.
  app.add_option("--root", options.roots, "disk directories (a quoted glob; may be repeated)")
      ->type_name("GLOB")
      ->allow_extra_args(false);
  app.add_option("--meta-root", options.meta_root, "metadata of the modules (MARK6_META_ROOT)")
      ->type_name("DIR");
  app.add_flag("--vdif", options.frames.wanted, "look at frames, too, in some places");
  app.add_flag("--full", frames.full, "look at all frames");
  app.add_option("--sample", frames.stretches, "look at frames in N places of each scan (16)")
      ->type_name("N")
      ->check(CLI::Range(2, 1'000'000));
  app.add_flag("--json", options.json, "one JSON object instead of the tables");
  app.add_flag("-q,--quiet", options.quiet, "errors only on stderr, no progress");
  app.add_flag("-v,--verbose", options.verbose, "say what is looked at");
}

}  // namespace

CheckLine parse_check_line(const std::vector<std::string>& args, Environment& environment) {
  CheckLine result;
  CheckOptions& options = result.options;
  CLI::App app("Checks the structure of recordings on Mark6 modules.", "mark6 check");
  FrameWords frames;
  declare(app, options, frames);
  ParsedLine line = parse_command_line(app, args, environment);
  result.exit = line.exit;
  options.words = std::move(line.words);
  if (result.exit) return result;
  options.frames.full = frames.full;
  if (frames.full || frames.stretches != 0) options.frames.wanted = true;
  if (frames.stretches != 0) {
    options.frames.stretches = static_cast<std::uint32_t>(frames.stretches);
  }
  const auto refuse = [&](const char* sentence) {
    static_cast<void>(write_text(environment.stderr_fd, sentence));
    result.exit = ExitCode::kUsage;
  };
  if (options.quiet && options.verbose) {
    refuse("mark6 check: -q and -v exclude each other; give one of them\n");
  } else if (frames.full && frames.stretches != 0) {
    refuse("mark6 check: --full and --sample exclude each other; give one of them\n");
  }
  return result;
}

}  // namespace mark6
