// SPDX-License-Identifier: MIT
#include "gather/options.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <map>

#include "common/base/units.hpp"

namespace mark6::gather {
namespace {

/// The words of the command line before they are checked.
struct Words {
  std::string output, skip, bytes, memory, meta_root, stats, prometheus, stats_interval;
  std::string timeout, follow_timeout, errors = "skip", progress = "auto";
  std::vector<std::string> roots;
  bool append = false, force = false, follow = false, quiet = false, verbose = false, help = false,
       version = false;
};

/// Declares every option. Positional arguments are left over on purpose: the parser would take a
/// name in square brackets, as scans may have, for a list of values.
void declare(CLI::App& app, Words& words) {
  app.set_help_flag();
  app.allow_extras();
  app.add_option("-o,--output", words.output);
  app.add_option("--skip", words.skip);
  app.add_option("--bytes", words.bytes);
  app.add_flag("--append", words.append);
  app.add_flag("--force", words.force);
  app.add_flag("--follow", words.follow);
  app.add_option("--follow-timeout", words.follow_timeout);
  app.add_option("--memory", words.memory);
  app.add_option("--errors", words.errors);
  app.add_option("--timeout", words.timeout);
  app.add_option("--progress", words.progress);
  app.add_option("--root", words.roots)->allow_extra_args(false);
  app.add_option("--meta-root", words.meta_root);
  app.add_option("--stats", words.stats);
  app.add_option("--prometheus", words.prometheus);
  app.add_option("--stats-interval", words.stats_interval);
  app.add_flag("-q,--quiet", words.quiet);
  app.add_flag("-v,--verbose", words.verbose);
  app.add_flag("-h,--help", words.help);
  app.add_flag("--version", words.version);
}

Failure usage(std::string path, std::string found, std::string expected = {}) {
  return failure(ErrorCode::kUsage, std::move(path), std::move(found), std::move(expected),
                 "try mark6gather --help");
}

/// What the parser left over: all of it is positional, unless it looks like an option and does not
/// stand behind "--".
Result<std::vector<std::string>> positional(const std::vector<std::string>& left_over) {
  std::vector<std::string> arguments;
  bool literal = false;
  for (const std::string& word : left_over) {
    if (!literal && word == "--") {
      literal = true;
    } else if (!literal && word.size() > 1 && word.front() == '-') {
      return usage(word, "is not an option", "one of --help, or -- before a name that starts so");
    } else if (word.empty()) {
      return usage("", "an empty argument", "the name of a scan, a file or an output");
    } else {
      arguments.push_back(word);
    }
  }
  return arguments;
}

/// Sets `into` when the option was given.
Result<void> size_into(std::optional<std::uint64_t>& into, const std::string& option,
                       const CLI::App& app, const std::string& word) {
  if (app.count(option) == 0) return {};
  const auto size = parse_bytes(word);
  if (!size) return usage(option, size.error().found, size.error().expected);
  into = *size;
  return {};
}

Result<StatsExportOptions> stats_options(const CLI::App& app, const Words& words) {
  StatsExportOptions stats;
  if (app.count("--stats") != 0) stats.json_file = words.stats;
  if (app.count("--prometheus") != 0) stats.prometheus_file = words.prometheus;
  if (stats.json_file == "" || stats.prometheus_file == "") {
    return usage("--stats, --prometheus", "an empty name", "a file");
  }
  if (app.count("--stats-interval") == 0) return stats;
  const auto interval = parse_stats_interval("--stats-interval", words.stats_interval);
  if (!interval) return Failure(interval.error());
  stats.interval = *interval;
  return stats;
}

Result<Options> checked(const CLI::App& app, const Words& words) {
  Options options;
  options.help = words.help;
  options.version = words.version;
  options.append = words.append;
  options.force = words.force;
  options.follow = words.follow;
  options.roots = words.roots;
  if (app.count("--output") != 0) options.output = words.output;
  if (app.count("--meta-root") != 0) options.meta_root = words.meta_root;
  if (options.help || options.version) return options;
  if (options.output && options.output->empty()) return usage("-o", "an empty name", "a file");
  if (words.quiet && words.verbose) return usage("-q", "given together with -v", "one of them");
  if (words.quiet) options.verbosity = Verbosity::kQuiet;
  if (words.verbose) options.verbosity = Verbosity::kVerbose;
  if (options.append && options.force) {
    return usage("--append", "given together with --force",
                 "one of them: --append keeps what is "
                 "there, --force overwrites it");
  }
  std::optional<std::uint64_t> skip;
  for (const auto& result : {size_into(skip, "--skip", app, words.skip),
                             size_into(options.bytes, "--bytes", app, words.bytes),
                             size_into(options.memory_bytes, "--memory", app, words.memory)}) {
    if (!result) return Failure(result.error());
  }
  options.skip_bytes = skip.value_or(0);
  static const std::map<std::string, ProgressMode> kModes = {{"auto", ProgressMode::kAuto},
                                                             {"always", ProgressMode::kAlways},
                                                             {"never", ProgressMode::kNever}};
  const auto mode = kModes.find(words.progress);
  if (mode == kModes.end()) {
    return usage("--progress", fmt::format("'{}'", words.progress), "auto, always or never");
  }
  options.progress = mode->second;
  if (words.errors != "skip" && words.errors != "fail") {
    return usage("--errors", fmt::format("'{}'", words.errors), "skip or fail");
  }
  options.skip_errors = words.errors == "skip";
  if (app.count("--timeout") != 0) {
    const auto timeout = parse_read_timeout("--timeout", words.timeout);
    if (!timeout) return Failure(timeout.error());
    options.read_timeout_ns = *timeout;
  }
  if (app.count("--follow-timeout") != 0) {
    const auto timeout = parse_read_timeout("--follow-timeout", words.follow_timeout);
    if (!timeout) return Failure(timeout.error());
    options.follow_timeout_ns = *timeout;
  }
  if (options.follow && (options.append || options.skip_bytes > 0 || options.bytes)) {
    return usage("--follow", "given together with --append, --skip or --bytes",
                 "none of these: the size of the scan is not known yet");
  }
  auto stats = stats_options(app, words);
  if (!stats) return Failure(stats.error());
  options.stats = std::move(*stats);
  auto arguments = positional(app.remaining());
  if (!arguments) return Failure(arguments.error());
  options.arguments = std::move(*arguments);
  if (options.arguments.empty()) return usage("", "no scan was named", "SCAN, GLOB or FRAGMENT...");
  return options;
}

}  // namespace

Result<Options> parse_options(const std::vector<std::string>& args) {
  CLI::App app;
  Words words;
  declare(app, words);
  try {
    // The parser takes its words from the back.
    app.parse(std::vector<std::string>(args.rbegin(), args.rend()));
  } catch (const CLI::ParseError& error) {
    return usage("", error.what());
  }
  return checked(app, words);
}

std::vector<std::string> option_names() {
  CLI::App app;
  Words words;
  declare(app, words);
  std::vector<std::string> names;
  for (const CLI::Option* option : app.get_options()) {
    for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
    for (const std::string& name : option->get_snames()) names.push_back("-" + name);
  }
  return names;
}

std::string_view help_text() {
  return R"(Usage: mark6gather [options] SCAN|GLOB|FRAGMENT... [OUT|-]
Streams one scan, its blocks in order, to stdout, a file, a FIFO or a socket.

  -o, --output OUT     write to OUT (default: last argument, else stdout)
      --skip BYTES     begin at this offset of the flat scan (64M, 1.5G, 64MiB)
      --bytes BYTES    end after so many bytes
      --append         resume exactly where OUT ends; --force: overwrite OUT
      --follow         while it is recorded; --follow-timeout S without growth
      --root GLOB      disks to look on (repeatable; default $MARK6_ROOT, else
                       '/mnt/disks/*/*'); --meta-root DIR as $MARK6_META_ROOT
      --memory SIZE    for reading ahead (default: 8 blocks per disk)
      --errors WHAT    skip (default) or fail where a disk errs; --timeout S
      --progress WHEN  auto, always or never: a line per second on stderr
      --stats FILE     statistics as JSON; --prometheus FILE for node_exporter:
                       at the end and every --stats-interval seconds (10)
  -q, --quiet          no report;  -v, --verbose: more of it
  -h, --help, --version

  mark6gather e18e22_Aa_No0006 - | dd of=/dev/null bs=1M
  mark6gather '/mnt/disks/[1234]/*/data/e18e22_Aa_No0006.vdif' /data/scan.vdif
  mark6gather --append e18e22_Aa_No0006 -o /data/scan.vdif

Exit: 0 delivered, 1 holes or damage, 2 usage, 3 not found, 4 I/O, 5 stopped.
kill -USR1 tells the state, disk by disk. Manual: docs/reference/mark6gather.md
)";
}

}  // namespace mark6::gather
