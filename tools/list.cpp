// SPDX-License-Identifier: MIT
// `mark6 list`: finds the scans, opens them to see what state they are in, and says so. The answer
// goes to stdout, the talk to stderr.
#include <fmt/format.h>

#include <algorithm>

#include "common/catalog/catalog.hpp"
#include "tools/command_line.hpp"
#include "tools/list_output.hpp"
#include "tools/module_view.hpp"
#include "tools/scan_report.hpp"
#include "tools/scan_selection.hpp"
#include "tools/subcommands.hpp"
#include "tools/talk.hpp"

namespace mark6 {
namespace {

constexpr const char* kExamples =
    R"(Lists all scans, or those named: SCAN is a name, with or without .vdif, or a quoted pattern.
Modules are looked for in --root, else in MARK6_ROOT, else in /mnt/disks/*/*.

examples:
  mark6 list                                   all scans on all modules
  mark6 list -l exp1_st_no0001                 times, rate and damage of one scan
  mark6 list --json --root '/mnt/disks/[12]/*' 'exp1_*' | jq .scans[].missing

exit codes: 0 complete, 1 holes or damage, 2 usage, 3 no such scan, 4 I/O error, 5 stopped)";

struct Options {
  std::vector<std::string> roots;
  std::string meta_root;
  bool details = false;
  bool json = false;
  bool quiet = false;
  bool verbose = false;
  std::vector<std::string> words;
};

void declare(CLI::App& app, Options& options) {
  set_usage(app, "[options] [SCAN|PATTERN...]");
  app.footer(kExamples);
  app.set_version_flag("--version", "mark6 " MARK6_VERSION, "print the version");
  // A --root takes one word; without this it would swallow the names of scans behind it.
  app.add_option("--root", options.roots, "disk directories (a quoted glob; may be repeated)")
      ->type_name("GLOB")
      ->allow_extra_args(false);
  app.add_option("--meta-root", options.meta_root, "metadata of the modules (MARK6_META_ROOT)")
      ->type_name("DIR");
  app.add_flag("-l,--long", options.details, "times, threads, rate, damage, below each scan");
  app.add_flag("--json", options.json, "one JSON object instead of the table");
  app.add_flag("-q,--quiet", options.quiet, "errors only on stderr");
  app.add_flag("-v,--verbose", options.verbose, "say what is looked at");
}

void summarise(const Catalog& catalog, const std::vector<ScanReport>& reports, const Talk& talk) {
  const auto count = [&reports](sg::ScanState state) {
    return std::count_if(reports.begin(), reports.end(),
                         [state](const ScanReport& report) { return report.state == state; });
  };
  for (const ScanReport& report : reports) {
    for (const std::string& problem : report.open_problems) talk.error(problem);
  }
  if (reports.empty()) {
    talk.info(fmt::format("no scans on {} disks", catalog.disks.size()));
  } else {
    talk.detail(fmt::format("{} scans, {} with holes, {} damaged", reports.size(),
                            count(sg::ScanState::kHoles), count(sg::ScanState::kDamaged)));
  }
}

ExitCode list(const Options& options, const CatalogSources& sources, const Talk& talk,
              Environment& environment) {
  const auto catalog = discover(sources);
  if (!catalog) {
    talk.error(describe(catalog.error()));
    return exit_code_of(catalog.error().code);
  }
  for (const std::string& problem : catalog->problems) talk.error(problem);
  talk.detail(fmt::format("{} scans on {} disks", catalog->scans.size(), catalog->disks.size()));
  const std::vector<DiskMetadata> metadata = read_metadata(*catalog);
  for (const DiskMetadata& disk : metadata) {
    for (const std::string& problem : disk.problems) talk.detail(problem);
  }
  const ScanSelection selection = select_scans(*catalog, sources, options.words, talk);
  const ModuleView modules(*catalog, metadata);
  const auto reports = report_all(*catalog, selection.scans, modules,
                                  options.details || options.json, environment.stop);
  if (!reports) return ExitCode::kInterrupted;

  const bool nothing_fits = selection.some_not_found && reports->empty();
  if (options.json || !nothing_fits) {
    const auto written =
        write_text(environment.stdout_fd, options.json ? list_json(*reports, catalog->problems)
                                                       : list_table(*reports, options.details));
    if (!written) {
      if (written.error().code != ErrorCode::kClosed) talk.error(describe(written.error()));
      return exit_code_of(written.error().code);
    }
  }
  if (selection.some_not_found) return ExitCode::kNotFound;
  summarise(*catalog, *reports, talk);
  const bool all_complete = std::all_of(reports->begin(), reports->end(), [](const auto& report) {
    return report.state == sg::ScanState::kComplete;
  });
  return all_complete ? ExitCode::kDelivered : ExitCode::kDamaged;
}

}  // namespace

ExitCode run_list(const std::vector<std::string>& args, Environment& environment) {
  Options options;
  CLI::App app("Lists the scans on Mark6 modules and the state they are in.", "mark6 list");
  declare(app, options);
  ParsedLine line = parse_command_line(app, args, environment);
  if (line.exit) return *line.exit;
  const Talk talk(environment.stderr_fd, "mark6 list", options.quiet, options.verbose);
  if (options.quiet && options.verbose) {
    talk.error("-q and -v exclude each other; give one of them");
    return ExitCode::kUsage;
  }
  options.words = std::move(line.words);
  CatalogSources sources = CatalogSources::from(options.roots, environment);
  if (!options.meta_root.empty()) sources.meta_root = options.meta_root;
  return list(options, sources, talk, environment);
}

}  // namespace mark6
