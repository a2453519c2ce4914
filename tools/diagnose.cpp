// SPDX-License-Identifier: MIT
// `mark6 diagnose`: reads the disks, alone and together, and says which is slow, how sure that is,
// and what to try next. Never writes to them. The answer goes to stdout, the talk to stderr.
#include "tools/diagnose.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>

#include "common/base/escape.hpp"
#include "common/catalog/catalog.hpp"
#include "tools/command_line.hpp"
#include "tools/diagnose_disks.hpp"
#include "tools/diagnose_output.hpp"
#include "tools/diagnose_phases.hpp"
#include "tools/diagnose_reader.hpp"
#include "tools/subcommands.hpp"

namespace mark6 {
namespace {

constexpr const char* kExamples =
    R"(Reads from the disks, never writes, and tells which is slow, how sure that is, and what to try.
MODULE is 2 or its serial number; DISK is 2/5, its directory, or its device (sdr). Default: all.

examples:
  mark6 diagnose                    each disk alone, then all together: 30 s at most
  mark6 diagnose --scaling 1 2      1, 2, 4 ... disks at once; which of them share a bottleneck
  mark6 diagnose --json | jq '.devices[] | select(.verdict != "fine")'

exit codes: 0 fine, 1 slow or suspect, 2 usage, 3 nothing found, 4 I/O error, 5 stopped)";

struct Options {
  std::vector<std::string> roots;
  std::string meta_root;
  bool quick = false;
  bool scaling = false;
  double seconds = 0;
  double timeout_s = 30;
  bool json = false;
  bool quiet = false;
  std::vector<std::string> words;
};

constexpr double kQuickSeconds = 28;
constexpr double kScalingSeconds = 90;

void declare(CLI::App& app, Options& options) {
  set_usage(app, "[options] [MODULE|DISK...]");
  app.footer(kExamples);
  app.set_version_flag("--version", "mark6 " MARK6_VERSION, "print the version");
  app.add_flag("--quick", options.quick, "each disk alone, then all together (default)");
  app.add_flag("--scaling", options.scaling, "1, 2, 4 ... all disks at once; who shares what");
  app.add_option("--seconds", options.seconds, "measure for at most so long (28; scaling: 90)")
      ->type_name("S")
      ->check(CLI::Range(1.0, 3600.0));
  app.add_option("--timeout", options.timeout_s, "give up a disk that does not answer (30)")
      ->type_name("S")
      ->check(CLI::Range(0.1, 3600.0));
  app.add_option("--root", options.roots, "disk directories (a quoted glob; may be repeated)")
      ->type_name("GLOB")
      ->allow_extra_args(false);
  app.add_option("--meta-root", options.meta_root, "metadata of the modules (MARK6_META_ROOT)")
      ->type_name("DIR");
  app.add_flag("--json", options.json, "one JSON object instead of the report");
  app.add_flag("-q,--quiet", options.quiet, "no progress, errors only on stderr");
}

/// Where the talk goes, and the line that is redrawn on a terminal.
class Talk {
 public:
  Talk(const Environment& environment, bool quiet)
      : fd_(environment.stderr_fd), live_(environment.stderr_is_tty && !quiet), quiet_(quiet) {}
  ~Talk() { erase(); }
  Talk(const Talk&) = delete;
  Talk& operator=(const Talk&) = delete;

  void error(const std::string& line) {
    erase();
    write("mark6 diagnose: " + line + "\n");
  }
  void info(const std::string& line) {
    if (!quiet_) error(line);
  }
  void progress(const std::string& line) {
    constexpr std::size_t kColumns = 79;
    if (!live_) return;
    write("\r\x1b[K" + line.substr(0, kColumns));
    drawn_ = true;
  }
  void erase() {
    if (drawn_) write("\r\x1b[K");
    drawn_ = false;
  }

 private:
  // Nowhere is left to report that stderr cannot be written.
  void write(const std::string& text) const { static_cast<void>(write_text(fd_, text)); }
  int fd_;
  bool live_;
  bool quiet_;
  bool drawn_ = false;
};

/// A path as a glob that fits nothing else.
std::string as_glob(const std::string& path) {
  std::string glob;
  for (const char c : path) {
    if (std::string_view("*?[]\\").find(c) != std::string_view::npos) glob += '\\';
    glob += c;
  }
  return glob;
}

/// Directories among the words are looked into, wherever the modules are otherwise.
CatalogSources sources_of(const Options& options, const Environment& environment) {
  std::vector<std::string> roots = options.roots;
  std::size_t directories = 0;
  for (const std::string& word : options.words) {
    std::error_code ignored;
    const bool path = word.starts_with('/') || word.starts_with('.');
    if (!path || !std::filesystem::is_directory(word, ignored)) continue;
    ++directories;
    roots.push_back(as_glob(word));
  }
  if (options.roots.empty() && directories < options.words.size()) {
    const auto usual = CatalogSources::from({}, environment).disk_globs;
    roots.insert(roots.end(), usual.begin(), usual.end());
  }
  CatalogSources sources = CatalogSources::from(roots, environment);
  if (!options.meta_root.empty()) sources.meta_root = options.meta_root;
  return sources;
}

ExitCode answer(const Diagnosis& diagnosis, const Options& options, Talk& talk,
                Environment& environment) {
  const auto written = write_text(
      environment.stdout_fd, options.json ? diagnose_json(diagnosis) : diagnose_report(diagnosis));
  if (!written && written.error().code != ErrorCode::kClosed) {
    talk.error(describe(written.error()));
    return exit_code_of(written.error().code);
  }
  return exit_code_of(diagnosis);
}

/// The disks that were asked for, or the exit code when there are none.
Result<std::vector<DiskUnderTest>> disks_of(const Catalog& catalog, const Options& options,
                                            const CatalogSources& sources) {
  std::vector<std::string> unknown;
  auto disks = select_disks(catalog, read_metadata(catalog), options.words, unknown);
  const std::string looked = escaped(fmt::format("{}", fmt::join(sources.disk_globs, ", ")));
  if (!unknown.empty()) {
    return failure(ErrorCode::kNotFound, unknown.front(), "no such module or disk",
                   fmt::format("one of the {} disks in {}", catalog.disks.size(), looked),
                   "`mark6 list` shows the modules");
  }
  return disks;
}

ExitCode diagnose(const Options& options, const BackendFactory& backend, Talk& talk,
                  Environment& environment) {
  const CatalogSources sources = sources_of(options, environment);
  const auto catalog = discover(sources);
  if (!catalog) {
    talk.error(describe(catalog.error()));
    return exit_code_of(catalog.error().code);
  }
  for (const std::string& problem : catalog->problems) talk.info(problem);
  auto disks = disks_of(*catalog, options, sources);
  if (!disks) {
    talk.error(describe(disks.error()));
    return exit_code_of(disks.error().code);
  }
  Diagnosis diagnosis;
  diagnosis.disks = std::move(*disks);
  diagnosis.scaling_asked = options.scaling;
  diagnosis.timeout_s = options.timeout_s;
  talk.progress(fmt::format("opening files on {} disks", diagnosis.disks.size()));
  auto files = open_disks(*catalog, diagnosis.disks, options.timeout_s, environment.stop);
  auto reader = PackReader::start(std::move(files),
                                  {.timeout_s = options.timeout_s, .depth = 2, .backend = backend});
  if (!reader) {
    talk.error(describe(reader.error()));
    return exit_code_of(reader.error().code);
  }
  const PhaseOptions how{.seconds = options.seconds > 0 ? options.seconds
                                    : options.scaling   ? kScalingSeconds
                                                        : kQuickSeconds,
                         .stop = environment.stop,
                         .progress = [&talk](const std::string& line) { talk.progress(line); }};
  (options.scaling ? measure_scaling : measure_quick)(**reader, diagnosis, how);
  PackReader::finish(std::move(*reader));
  talk.erase();
  if (environment.stop.stop_requested()) return ExitCode::kInterrupted;
  judge(diagnosis);
  return answer(diagnosis, options, talk, environment);
}

}  // namespace

ExitCode run_diagnose_with(const BackendFactory& backend, const std::vector<std::string>& args,
                           Environment& environment) {
  Options options;
  CLI::App app("Tells which disk is slow, how sure that is, and what to try next.",
               "mark6 diagnose");
  declare(app, options);
  ParsedLine line = parse_command_line(app, args, environment);
  if (line.exit) return *line.exit;
  Talk talk(environment, options.quiet);
  if (options.quick && options.scaling) {
    talk.error("--quick and --scaling exclude each other; give one of them");
    return ExitCode::kUsage;
  }
  options.words = std::move(line.words);
  return diagnose(options, backend, talk, environment);
}

ExitCode run_diagnose(const std::vector<std::string>& args, Environment& environment) {
  return run_diagnose_with(default_backend(), args, environment);
}

}  // namespace mark6
