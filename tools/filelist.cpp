// SPDX-License-Identifier: MIT
// `mark6 filelist`: which scan holds which time, in the form that vex2difx reads. The list goes to
// stdout, the talk to stderr.
#include <fmt/format.h>

#include <algorithm>

#include "common/base/escape.hpp"
#include "common/catalog/catalog.hpp"
#include "tools/command_line.hpp"
#include "tools/filelist_lines.hpp"
#include "tools/module_view.hpp"
#include "tools/scan_report.hpp"
#include "tools/scan_selection.hpp"
#include "tools/subcommands.hpp"
#include "tools/talk.hpp"

namespace mark6 {
namespace {

constexpr const char* kExamples =
    R"(Lists all scans, or those named: SCAN is a name, with or without .vdif, or a quoted pattern.
A few frames of each scan are read. Modules are looked for in --root, else in MARK6_ROOT, else in
/mnt/disks/*/*. Formats: vsum (PATH MJD MJD), mk6dir (and the size), vdifuse (PATH and two times as
2015y080d08h35m03s), plain (PATH).

examples:
  mark6 filelist --prefix /mnt/mark6 'exp1_Aa_*' > Aa.filelist     for a mount by mark6fs
  mark6 filelist --format mk6dir --root '/mnt/disks/1/*' > LBO%0001.filelist

exit codes: 0 all scans have a line, 1 some have not (no frame tells a time), 2 usage,
            3 no such scan, 4 I/O error, 5 stopped)";

struct Options {
  std::vector<std::string> roots;
  std::string format = "vsum";
  std::string prefix;
  bool quiet = false;
  std::vector<std::string> words;
};

void declare(CLI::App& app, Options& options) {
  set_usage(app, "[options] [SCAN|PATTERN...]");
  app.footer(kExamples);
  app.set_version_flag("--version", "mark6 " MARK6_VERSION, "print the version");
  app.add_option("--format", options.format, "vsum (default), mk6dir, vdifuse or plain")
      ->type_name("FORMAT");
  app.add_option("--prefix", options.prefix, "directory in front of the names: the mount point")
      ->type_name("DIR");
  // A --root takes one word; without this it would swallow the names of scans behind it.
  app.add_option("--root", options.roots, "disk directories (a quoted glob; may be repeated)")
      ->type_name("GLOB")
      ->allow_extra_args(false);
  app.add_flag("-q,--quiet", options.quiet, "errors only on stderr");
}

std::string path_of(const std::string& prefix, const std::string& name) {
  if (prefix.empty()) return name;
  return prefix.back() == '/' ? prefix + name : prefix + "/" + name;
}

/// The lines of `reports`. What a line cannot say is told, and `is_complete` becomes false.
std::string list_of(const std::vector<ScanReport>& reports, FilelistFormat format,
                    const std::string& prefix, const Talk& talk, bool& is_complete) {
  std::string list;
  for (const ScanReport& report : reports) {
    const std::string path = path_of(prefix, report.name);
    const auto line = filelist_line(format, path, report.size_bytes, *report.content);
    const bool breaks_lines = path.find('\n') != std::string::npos;
    if (!line || breaks_lines) {
      is_complete = false;
      talk.error(escaped(report.name) + (breaks_lines ? ": left out: its name has a line break"
                                                      : ": left out: no valid frame tells a time"));
      continue;
    }
    if (path.find_first_of(" \t") != std::string::npos) {
      talk.info(escaped(path) +
                ": has a space: readers of the list will take the path to end there");
    }
    if (report.state != sg::ScanState::kComplete) {
      talk.info(fmt::format("{}: {}; mark6 list -l tells more", escaped(report.name),
                            sg::to_string(report.state)));
    }
    list += *line + "\n";
  }
  return list;
}

ExitCode write_list(const Options& options, FilelistFormat format, const CatalogSources& sources,
                    const Talk& talk, Environment& environment) {
  const auto catalog = discover(sources);
  if (!catalog) {
    talk.error(describe(catalog.error()));
    return exit_code_of(catalog.error().code);
  }
  for (const std::string& problem : catalog->problems) talk.error(problem);
  const ScanSelection selection = select_scans(*catalog, sources, options.words, talk);
  const ModuleView modules(*catalog, read_metadata(*catalog));
  const auto reports = report_all(*catalog, selection.scans, modules, true, environment.stop);
  if (!reports) return ExitCode::kInterrupted;
  bool is_complete = true;
  const auto written = write_text(environment.stdout_fd,
                                  list_of(*reports, format, options.prefix, talk, is_complete));
  if (!written) {
    if (written.error().code != ErrorCode::kClosed) talk.error(describe(written.error()));
    return exit_code_of(written.error().code);
  }
  if (selection.some_not_found) return ExitCode::kNotFound;
  return is_complete ? ExitCode::kDelivered : ExitCode::kDamaged;
}

}  // namespace

ExitCode run_filelist(const std::vector<std::string>& args, Environment& environment) {
  Options options;
  CLI::App app("Lists scans with their times, as vex2difx reads it.", "mark6 filelist");
  declare(app, options);
  ParsedLine line = parse_command_line(app, args, environment);
  if (line.exit) return *line.exit;
  const Talk talk(environment.stderr_fd, "mark6 filelist", options.quiet, false);
  const auto format = filelist_format(options.format);
  if (!format) {
    talk.error(fmt::format("--format {}: no such format; give vsum, mk6dir, vdifuse or plain",
                           escaped(options.format)));
    return ExitCode::kUsage;
  }
  options.words = std::move(line.words);
  return write_list(options, *format, CatalogSources::from(options.roots, environment), talk,
                    environment);
}

}  // namespace mark6
