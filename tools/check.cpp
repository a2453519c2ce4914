// SPDX-License-Identifier: MIT
// `mark6 check`: finds the scans, walks every header of every fragment, looks at frames where that
// is asked for, and says what is wrong. The answer goes to stdout, the talk to stderr.
#include <fmt/format.h>

#include <algorithm>
#include <mutex>

#include "common/base/escape.hpp"
#include "common/base/units.hpp"
#include "common/catalog/catalog.hpp"
#include "common/report/progress.hpp"
#include "tools/check_options.hpp"
#include "tools/check_output.hpp"
#include "tools/module_view.hpp"
#include "tools/open_all.hpp"
#include "tools/scan_selection.hpp"
#include "tools/subcommands.hpp"
#include "tools/talk.hpp"

namespace mark6 {
namespace {

constexpr std::chrono::milliseconds kRedrawInterval{200};
constexpr const char* kEraseLine = "\r\033[K";

/// The line on a terminal that says how far the walk has come; gone when it is destroyed.
class ProgressLine {
 public:
  ProgressLine(int fd, const std::vector<const Scan*>& scans, const WalkProgress& progress,
               const FrameProgress& frames)
      : fd_(fd), progress_(progress), frames_(frames) {
    for (const Scan* scan : scans) {
      for (const FragmentPath& fragment : scan->fragments) total_bytes_ += fragment.size_bytes;
    }
    ticker_.emplace(kRedrawInterval, [this] { redraw(); });
  }
  ~ProgressLine() {
    ticker_.reset();
    say(kEraseLine);
  }
  ProgressLine(const ProgressLine&) = delete;
  ProgressLine& operator=(const ProgressLine&) = delete;

 private:
  void redraw() {
    const std::uint64_t passed = std::min(progress_.passed_bytes.load(), total_bytes_);
    const double share = total_bytes_ == 0 ? 1 : static_cast<double>(passed) / total_bytes();
    std::string line = fmt::format("{}headers of {} of {} looked at, {:.0f} %", kEraseLine,
                                   format_bytes(passed), format_bytes(total_bytes_), 100 * share);
    if (const std::uint64_t wanted = frames_.wanted_bytes; wanted > 0) {
      line += fmt::format("; frames of {} of {}", format_bytes(frames_.looked_at_bytes),
                          format_bytes(wanted));
    }
    say(line);
  }
  [[nodiscard]] double total_bytes() const { return static_cast<double>(total_bytes_); }
  // Nowhere is left to report that stderr cannot be written.
  void say(const std::string& text) const { static_cast<void>(write_text(fd_, text)); }

  int fd_;
  const WalkProgress& progress_;
  const FrameProgress& frames_;
  std::uint64_t total_bytes_ = 0;
  std::optional<Ticker> ticker_;  // last: its thread uses all of the above
};

/// The checks of `scans`, in their order; nothing when asked to stop.
std::optional<std::vector<ScanCheck>> check_all(const Catalog& catalog,
                                                const std::vector<const Scan*>& scans,
                                                const ModuleView& modules,
                                                const CheckOptions& options,
                                                const Environment& environment) {
  std::vector<ScanCheck> checks(scans.size());
  WalkProgress progress;
  FrameProgress frames;
  std::optional<ProgressLine> line;
  const bool shows_progress = environment.stderr_is_tty && !options.quiet;
  if (shows_progress) line.emplace(environment.stderr_fd, scans, progress, frames);
  const OpenAllOptions open_options{.index_by = IndexBy::kWalk, .progress = &progress};
  std::mutex one_at_a_time;  // frames of two scans would have the disks seek between them
  // While its files are open, on a disk's thread.
  const auto check_scan = [&](std::size_t i, const OpenedScan& opened) {
    ScanReport report = report_of(opened, catalog, modules.absent(*scans[i]));
    checks[i].structure = check_structure(opened, std::move(report), environment.stop);
    if (!options.frames.wanted) return;
    const std::lock_guard lock(one_at_a_time);
    if (environment.stop.stop_requested()) return;
    checks[i].frames =
        check_frames(opened, catalog.disks.size(), options.frames, frames, environment.stop);
  };
  const bool all = open_all(catalog, scans, open_options, environment.stop, check_scan);
  if (!all || environment.stop.stop_requested()) return std::nullopt;
  return checks;
}

/// What was found, with the lowest three bits an exit code as all programs have it.
ExitCode exit_code(const std::vector<ScanCheck>& checks, bool some_not_found) {
  constexpr unsigned kCodeBits = 7;
  unsigned bits = 0;
  for (const ScanCheck& check : checks) bits |= check.findings();
  if (some_not_found) bits = (bits & ~kCodeBits) | static_cast<unsigned>(ExitCode::kNotFound);
  return static_cast<ExitCode>(bits);
}

ExitCode check(const CheckOptions& options, const CatalogSources& sources, const Talk& talk,
               Environment& environment) {
  const auto catalog = discover(sources);
  if (!catalog) {
    talk.error(describe(catalog.error()));
    return exit_code_of(catalog.error().code);
  }
  for (const std::string& problem : catalog->problems) talk.error(problem);
  const std::vector<DiskMetadata> metadata = read_metadata(*catalog);
  for (const DiskMetadata& disk : metadata) {
    for (const std::string& problem : disk.problems) talk.detail(problem);
  }
  const ScanSelection selection = select_scans(*catalog, sources, options.words, talk);
  talk.detail(fmt::format("{} of {} scans on {} disks are checked", selection.scans.size(),
                          catalog->scans.size(), catalog->disks.size()));
  const ModuleView modules(*catalog, metadata);
  const auto checks = check_all(*catalog, selection.scans, modules, options, environment);
  if (!checks) return ExitCode::kInterrupted;
  if (checks->empty() && !selection.some_not_found) {
    talk.info(fmt::format("no scans on {} disks", catalog->disks.size()));
  }
  const auto written =
      write_text(environment.stdout_fd,
                 options.json ? check_json(*checks, catalog->problems) : check_table(*checks));
  if (!written && written.error().code != ErrorCode::kClosed) {
    talk.error(describe(written.error()));
    return exit_code_of(written.error().code);
  }
  return exit_code(*checks, selection.some_not_found);
}

}  // namespace

ExitCode run_check(const std::vector<std::string>& args, Environment& environment) {
  const CheckLine line = parse_check_line(args, environment);
  if (line.exit) return *line.exit;
  const CheckOptions& options = line.options;
  const Talk talk(environment.stderr_fd, "mark6 check", options.quiet, options.verbose);
  CatalogSources sources = CatalogSources::from(options.roots, environment);
  if (!options.meta_root.empty()) sources.meta_root = options.meta_root;
  return check(options, sources, talk, environment);
}

}  // namespace mark6
