// SPDX-License-Identifier: MIT
// `mark6 iostat`: looks at the kernel's counters and at our running programs at regular times, and
// reports what happened in between. The reports go to stdout, the talk to stderr.
#include "tools/iostat.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <deque>
#include <utility>

#include "tools/iostat_options.hpp"
#include "tools/iostat_output.hpp"
#include "tools/subcommands.hpp"

namespace mark6 {
namespace {

/// Verdicts by the kernel's figures are about so much time, that one odd second makes no verdict.
constexpr std::int64_t kJudgedNs = 10'000'000'000;

class Talk {
 public:
  Talk(int fd, bool quiet) : fd_(fd), quiet_(quiet) {}
  // Nowhere is left to report that stderr cannot be written.
  void error(const std::string& line) const {
    static_cast<void>(write_text(fd_, "mark6 iostat: " + line + "\n"));
  }
  void info(const std::string& line) const {
    if (!quiet_) error(line);
  }

 private:
  int fd_;
  bool quiet_;
};

/// The samples of the last kJudgedNs, and the one before the last.
class History {
 public:
  void add(IostatSample sample) {
    samples_.push_back(std::move(sample));
    while (samples_.size() > 2 && samples_[1].taken_ns <= samples_.back().taken_ns - kJudgedNs) {
      samples_.pop_front();
    }
  }
  [[nodiscard]] const IostatSample& last() const { return samples_.back(); }
  [[nodiscard]] const IostatSample& before_last() const { return samples_[samples_.size() - 2]; }
  [[nodiscard]] const IostatSample& oldest() const { return samples_.front(); }

 private:
  std::deque<IostatSample> samples_;
};

class Iostat {
 public:
  Iostat(const IostatWorld& world, const IostatOptions& options, Environment& environment)
      : world_(world),
        options_(options),
        environment_(environment),
        talk_(environment.stderr_fd, options.quiet) {}

  ExitCode run() {
    if (const auto exit = find_disks()) return *exit;
    const auto done = options_.interval_ns ? watch() : once();
    if (done) return *done;
    if (done.error().code != ErrorCode::kClosed) talk_.error(describe(done.error()));
    return exit_code_of(done.error().code);
  }

 private:
  const IostatWorld& world_;
  const IostatOptions& options_;
  Environment& environment_;
  Talk talk_;
  std::vector<WatchedDisk> disks_;

  /// An exit code when there is nothing to look at.
  std::optional<ExitCode> find_disks() {
    const auto catalog = discover(CatalogSources::from(options_.roots, environment_));
    if (!catalog) {
      // Programs that are running may read other disks than those of the usual places.
      if (catalog.error().code == ErrorCode::kNotFound && !world_.running().empty()) return {};
      talk_.error(describe(catalog.error()));
      return exit_code_of(catalog.error().code);
    }
    std::vector<std::string> problems = catalog->problems;
    disks_ = watched_disks(*catalog, world_.roots, problems);
    for (const std::string& problem : problems) talk_.error(problem);
    for (const std::string& note : sharing_notes(disks_)) talk_.info(note);
    return {};
  }

  [[nodiscard]] Result<void> write(const IostatReport& report) const {
    const std::string text = options_.json  ? iostat_json(report)
                             : options_.map ? iostat_map(report, options_.view)
                                            : iostat_table(report, options_.view);
    return write_text(environment_.stdout_fd, text);
  }

  Result<ExitCode> once() {
    const auto sample = take_sample(world_);
    if (!sample) return Failure(sample.error());
    if (sample->programs.empty()) {
      talk_.info(
          "no verdicts: no mark6fs or mark6gather of this user is running, and figures since boot "
          "tell nothing about now; give an INTERVAL to judge by the kernel's figures");
    }
    const auto written = write(since_boot_report(disks_, *sample));
    if (!written) return Failure(written.error());
    return ExitCode::kDelivered;
  }

  Result<ExitCode> watch() {
    std::int64_t deadline_ns = world_.now_ns();
    auto first = take_sample(world_);
    if (!first) return Failure(first.error());
    std::uint64_t given = 0;
    if (!options_.skip_first) {
      const auto written = write(since_boot_report(disks_, *first));
      if (!written) return Failure(written.error());
      ++given;
    }
    History history;
    history.add(*first);
    IostatAverage average;
    while (!options_.count || given < *options_.count) {
      deadline_ns = next_deadline(deadline_ns);
      if (!world_.wait_until(deadline_ns, environment_.stop)) break;
      auto sample = take_sample(world_);
      if (!sample) return Failure(sample.error());
      history.add(std::move(*sample));
      const IostatReport report =
          interval_report(disks_, history.before_last(), history.last(), history.oldest());
      average.add(report);
      const auto written = write(report);
      if (!written) return Failure(written.error());
      ++given;
    }
    if (average.reports() > 1) {
      const auto written = write(average.report(*first, history.last()));
      if (!written) return Failure(written.error());
    }
    const bool all = !options_.count || given >= *options_.count;
    return all ? ExitCode::kDelivered : ExitCode::kInterrupted;
  }

  /// Reports are due at whole multiples of the interval from the start, so that they do not drift;
  /// those that have been missed (the machine slept) are not made up for.
  [[nodiscard]] std::int64_t next_deadline(std::int64_t last_ns) const {
    const std::int64_t late_ns = std::max<std::int64_t>(world_.now_ns() - last_ns, 0);
    return last_ns + (late_ns / *options_.interval_ns + 1) * *options_.interval_ns;
  }
};

}  // namespace

ExitCode run_iostat_in(const IostatWorld& world, const std::vector<std::string>& args,
                       Environment& environment) {
  const IostatLine line = parse_iostat_line(args, environment);
  if (line.exit) return *line.exit;
  return Iostat(world, line.options, environment).run();
}

ExitCode run_iostat(const std::vector<std::string>& args, Environment& environment) {
  return run_iostat_in(IostatWorld(), args, environment);
}

}  // namespace mark6
