// SPDX-License-Identifier: MIT
// The story of a gather: find the scan, open it, open the output, carry the bytes over, tell.
#include "gather/run.hpp"

#include <fmt/format.h>
#include <spdlog/spdlog.h>
#include <sys/stat.h>

#include <utility>

#include "common/base/clock.hpp"
#include "common/base/escape.hpp"
#include "common/base/log.hpp"
#include "gather/follow.hpp"
#include "gather/inputs.hpp"
#include "gather/options.hpp"
#include "gather/output.hpp"
#include "gather/pipeline.hpp"
#include "gather/plan.hpp"
#include "gather/progress_view.hpp"
#include "gather/report.hpp"
#include "gather/signals.hpp"
#include "gather/sink.hpp"
#include "gather/statistics.hpp"

namespace mark6::gather {
namespace {

/// The logger of this run; the one before comes back, for the next run in the same process.
class LogOfRun {
 public:
  LogOfRun(Verbosity verbosity, int fd) : before_(spdlog::default_logger()) {
    set_up_log("mark6gather", verbosity, fd);
  }
  ~LogOfRun() { spdlog::set_default_logger(before_); }
  LogOfRun(const LogOfRun&) = delete;
  LogOfRun& operator=(const LogOfRun&) = delete;

 private:
  std::shared_ptr<spdlog::logger> before_;
};

ExitCode fail(const Error& error) {
  spdlog::error("{}", describe(error));
  return exit_code_of(error.code);
}

void say(const Environment& environment, const std::string& text) {
  // Nowhere is left to report that stderr cannot be written.
  [[maybe_unused]] const auto written = write_text(environment.stderr_fd, text);
}

/// All that is known once the scan is open and the output is ready.
struct Job {
  const Options& options;
  Environment& environment;
  Inputs inputs;
  OpenedScanPtr scan;
  std::int64_t opening_ns = 0;
  Range range{};  ///< as asked for
  Range rest{};   ///< of it, what the output does not hold yet
  Unread unread{};
  Output output{};
};

std::vector<FileKey> keys_of(const OpenedScan& scan) {
  std::vector<FileKey> keys;
  for (const FragmentPath& fragment : scan.fragments) {
    struct stat status {};
    if (::stat(fragment.path.c_str(), &status) == 0) {
      keys.emplace_back(status.st_dev, status.st_ino);
    }
  }
  for (const auto& file : scan.files) {
    if (file) keys.emplace_back(file->identity().device, file->identity().inode);
  }
  return keys;
}

OutputMode mode_of(const Options& options) {
  if (options.append) return OutputMode::kAppend;
  return options.force ? OutputMode::kForce : OutputMode::kNew;
}

/// A scan of which no byte can be delivered is a failure, not an empty output.
Failure nothing_in(const OpenedScan& scan, const Catalog& catalog) {
  const Losses losses = losses_of(scan, catalog, Range{});
  return failure(ErrorCode::kBadFormat, scan.name, "no block of it can be read",
                 "fragments of a Mark6 recording, or a VDIF file",
                 losses.damage.empty() ? "" : losses.damage.front());
}

/// The scan is opened when it is recorded.
Result<Job> prepare_to_follow(const Options& options, Environment& environment, Inputs inputs,
                              const StopEvent& stop) {
  auto scan = std::make_shared<OpenedScan>();
  scan->name = inputs.scan.name;
  scan->fragments = inputs.scan.fragments;
  Job job{options, environment, std::move(inputs), std::move(scan)};
  auto output =
      open_output(job.inputs.output, mode_of(options), keys_of(*job.scan), environment, stop);
  if (!output) return Failure(output.error());
  job.output = std::move(*output);
  return job;
}

Result<Job> prepare(const Options& options, Environment& environment, const StopEvent& stop) {
  if (auto may = check_stats_files(options.stats); !may) return Failure(may.error());
  auto inputs = find_inputs(options, environment);
  if (!inputs) return Failure(inputs.error());
  for (const std::string& problem : inputs->catalog.problems) spdlog::warn("{}", escaped(problem));
  const std::int64_t started_ns = monotonic_ns();
  if (options.follow) return prepare_to_follow(options, environment, std::move(*inputs), stop);
  auto scan = open_scan_or_stop(inputs->scan, inputs->catalog.disks.size(), stop.token());
  if (!scan) return Failure(scan.error());
  if ((*scan)->index.size_bytes() == 0) return nothing_in(**scan, inputs->catalog);
  Job job{options, environment, std::move(*inputs), *scan, monotonic_ns() - started_ns};
  auto range = plan_range(options, *job.scan);
  if (!range) return Failure(range.error());
  job.range = job.rest = *range;
  auto output =
      open_output(job.inputs.output, mode_of(options), keys_of(*job.scan), environment, stop);
  if (!output) return Failure(output.error());
  job.output = std::move(*output);
  if (options.append) {
    auto rest = resume(job.range, job.output, *job.scan);
    if (!rest) return Failure(rest.error());
    job.rest = *rest;
  }
  return job;
}

StreamLabels labels_of(const Job& job, const StatsCollector& statistics) {
  return {job.scan->name, job.rest.bytes(), statistics.names()};
}

bool shows_progress(const Job& job) {
  switch (job.options.progress) {
    case ProgressMode::kAlways:
      return true;
    case ProgressMode::kNever:
      return false;
    case ProgressMode::kAuto:
      break;
  }
  return job.environment.stderr_is_tty && job.options.verbosity != Verbosity::kQuiet;
}

/// What an output that is not whole holds, and how it becomes whole.
ExitCode fail_in_mid_stream(const Job& job, Error error, std::uint64_t delivered) {
  if (error.code == ErrorCode::kClosed) {
    spdlog::debug("the reader has gone after {} bytes", delivered);
    return exit_code_of(error.code);
  }
  const std::uint64_t reached = (job.rest.begin - job.range.begin) + delivered;
  std::string how;
  if (job.unread.bytes > 0) {  // what was delivered is not the scan's beginning
    how = fmt::format(", {} left out: --skip {} goes on there", job.unread.bytes,
                      (job.rest.begin + (delivered + job.unread.bytes)).value);
  } else if (job.output.is_path && job.output.kind == OutputKind::kFile) {
    how = ": run the same with --append to resume (and without --force)";
  } else if (reached > 0) {
    how = fmt::format(": --skip {} goes on there", (job.rest.begin + delivered).value);
  }
  error.advice += fmt::format("{}{} of {} bytes were delivered{}", error.advice.empty() ? "" : "; ",
                              reached, job.range.bytes(), how);
  for (std::size_t i = 0; i < job.scan->fragments.size(); ++i) {
    const FragmentPath& fragment = job.scan->fragments[i];
    if (fragment.path == error.path && fragment.disk.value < job.inputs.catalog.disks.size()) {
      error.path =
          "disk " + job.inputs.catalog.disks[fragment.disk.value].label() + ": " + fragment.path;
    }
  }
  return fail(error);
}

void report(const Job& job, StatsCollector& statistics, const StreamSample& end,
            const ReadEngine& engine, const Sink& sink) {
  if (job.options.verbosity == Verbosity::kQuiet) return;
  const StreamLabels labels = labels_of(job, statistics);
  std::string text = delivery_text(labels, end, job.opening_ns);
  text += verdict_text(statistics.snapshot(monotonic_ns(), StatsSpan::kAll));
  if (job.options.verbosity == Verbosity::kVerbose) {
    text += disks_text(labels, engine, monotonic_ns());
    text += fmt::format("  reads by {}, output by {}\n", engine.backend_name(), sink.way());
  }
  say(job.environment, text);
}

/// Losses are told even with -q: who is to be left in peace is not to be left in the dark.
ExitCode tell_losses(const Job& job) {
  Losses losses = losses_of(*job.scan, job.inputs.catalog, job.range);
  add_unread(losses, job.unread, *job.scan, job.inputs.catalog);
  const bool quiet = job.options.verbosity == Verbosity::kQuiet;
  if (quiet && !losses.any()) return ExitCode::kDelivered;
  std::string text = losses_text(losses, job.options.verbosity == Verbosity::kVerbose);
  if (quiet) text = escaped(job.scan->name) + ":\n" + text;
  say(job.environment, text);
  return losses.any() ? ExitCode::kDamaged : ExitCode::kDelivered;
}

/// Carries what is left of the range over, and reports when that is done.
/// On the reader's thread, once per change.
void tell_hung(const Job& job, DiskIndex disk, bool hung, std::int64_t waited_ns) {
  const std::string label = disk.value < job.inputs.catalog.disks.size()
                                ? "disk " + escaped(job.inputs.catalog.disks[disk.value].label())
                                : fmt::format("disk {}", disk.value);
  const std::string waited = format_duration(static_cast<double>(waited_ns) / 1e9);
  if (hung) {
    spdlog::error("{}: has not answered for {}; what lies on it is {} until it does", label, waited,
                  job.options.skip_errors ? "left out" : "given up");
  } else {
    spdlog::warn("{}: answers again, after {}", label, waited);
  }
}

Result<std::unique_ptr<Pipeline>> start_pipeline(const Job& job, const Sink& sink) {
  const Range rest{job.rest.begin + (sink.written_bytes() + job.unread.bytes), job.rest.end};
  PipelineOptions pipeline_options{.range = rest,
                                   .memory_bytes = job.options.memory_bytes,
                                   .skip_errors = job.options.skip_errors,
                                   .deadline_ns = job.options.read_timeout_ns};
  pipeline_options.on_hung = [&job](DiskIndex disk, bool hung, std::int64_t waited_ns) {
    tell_hung(job, disk, hung, waited_ns);
  };
  return Pipeline::start(job.scan, job.inputs.catalog.disks.size(), std::move(pipeline_options));
}

Result<void> stream(Job& job, Sink& sink, Signals& signals, const StopEvent& stop) {
  auto pipeline = start_pipeline(job, sink);
  if (!pipeline) return Failure(pipeline.error());
  const auto sample = [&] {
    return StreamSample{sink.written_bytes(), (*pipeline)->ledger().snapshot(monotonic_ns())};
  };
  StatsCollector statistics("mark6gather", job.scan->name, monotonic_ns());
  add_disks(statistics, *job.scan, job.inputs.catalog, (*pipeline)->engine());
  const auto counted = statistics.add_stream(job.scan->name, job.rest.bytes(), sample);
  std::optional<StatsExporter> exporter(std::in_place, statistics, job.options.stats,
                                        [&] { identify_disks(statistics, *job.scan); });
  ProgressView view(
      {job.environment.stderr_fd, job.environment.stderr_is_tty, shows_progress(job)},
      [&] { return labels_of(job, statistics); }, sample);
  signals.set_state_printer([&] {
    view.print_state();
    say(job.environment, state_text(statistics.snapshot(monotonic_ns())));
  });
  auto done = (*pipeline)->run(sink, stop.token());
  job.unread.add((*pipeline)->unread());
  const StreamSample end = sample();
  signals.set_state_printer({});
  view.end(done.has_value());
  exporter.reset();  // has written the last files, however it ended
  if (done) done = close_output(job.output);
  if (done) report(job, statistics, end, (*pipeline)->engine(), sink);
  return done;
}

/// The headers that proved the scan healthy have promised too much: makes the index anew from all
/// block headers. What was delivered so far stays as it is: each of its blocks was in its place.
Result<void> walk_all_headers(Job& job, const Error& why, const StopEvent& stop) {
  spdlog::warn("{}", describe(why));
  auto scan = open_scan_or_stop(job.inputs.scan, job.inputs.catalog.disks.size(), stop.token(),
                                IndexBy::kWalk);
  if (!scan) return Failure(scan.error());
  auto range = plan_range(job.options, **scan);
  if (!range) return Failure(range.error());
  job.scan = *scan;
  job.range = *range;
  job.rest.end = std::max(job.rest.begin, range->end);
  return {};
}

/// The arguments that name the scan, without the one that names the output.
Options options_of_scan(const Job& job) {
  Options options = job.options;
  const bool output_is_last = !options.output && options.arguments.size() > 1 &&
                              (job.inputs.output || options.arguments.back() == "-");
  if (output_is_last) options.arguments.pop_back();
  return options;
}

/// Delivers a scan while it is recorded, and opens it when it is over: stream() then carries over
/// what is left, and tells what a plain gather tells.
Result<void> follow(Job& job, Sink& sink, const StopEvent& stop) {
  Follower follower(options_of_scan(job), job.environment);
  while (true) {
    auto scan = follower.look(job.inputs);
    if (!scan) return Failure(scan.error());
    job.scan = *scan;
    job.range = job.rest = Range{ScanOffset(0), ScanOffset(job.scan->index.size_bytes())};
    if (job.rest.bytes() > sink.written_bytes() + job.unread.bytes) {
      auto pipeline = start_pipeline(job, sink);
      if (!pipeline) return Failure(pipeline.error());
      auto done = (*pipeline)->run(sink, stop.token());
      job.unread.add((*pipeline)->unread());
      if (!done) return done;
    }
    if (follower.is_over(job.inputs)) break;
    constexpr int kLookMilliseconds = 200;
    if (auto slept = stop.sleep(kLookMilliseconds); !slept) return slept;
  }
  auto scan = open_scan_or_stop(job.inputs.scan, job.inputs.catalog.disks.size(), stop.token());
  if (!scan) return Failure(scan.error());
  if ((*scan)->index.size_bytes() == 0) return nothing_in(**scan, job.inputs.catalog);
  if (auto same = follower.check_beginning(**scan); !same) return same;
  job.scan = *scan;
  job.range = job.rest = Range{ScanOffset(0), ScanOffset(job.scan->index.size_bytes())};
  return {};
}

/// Carries the bytes over.
ExitCode deliver(Job& job, Signals& signals, const StopEvent& stop) {
  if (job.options.append && job.rest.empty()) {
    spdlog::info("{}: holds all of {} already, nothing to do", escaped(job.output.name),
                 escaped(job.scan->name));
    return tell_losses(job);
  }
  const auto sink = make_sink(job.output, stop);
  if (job.options.follow) {
    if (auto followed = follow(job, *sink, stop); !followed) {
      return fail_in_mid_stream(job, followed.error(), sink->written_bytes());
    }
  }
  auto done = stream(job, *sink, signals, stop);
  if (!done && done.error().code == ErrorCode::kBadFormat && job.scan->index.grid() != nullptr) {
    done = walk_all_headers(job, done.error(), stop);
    if (done) done = stream(job, *sink, signals, stop);
  }
  if (!done) return fail_in_mid_stream(job, done.error(), sink->written_bytes());
  return tell_losses(job);
}

}  // namespace

ExitCode run_gather(const std::vector<std::string>& args, Environment& environment) {
  const auto options = parse_options(args);
  const LogOfRun log(options ? options->verbosity : Verbosity::kNormal, environment.stderr_fd);
  if (!options) return fail(options.error());
  if (options->help || options->version) {
    const std::string text =
        options->help ? std::string(help_text()) : "mark6gather " MARK6_VERSION "\n";
    const auto written = write_text(environment.stdout_fd, text);
    return written ? ExitCode::kDelivered : fail(written.error());
  }
  Signals signals(environment.stop);
  signals.set_state_printer(
      [&environment] { say(environment, "mark6gather: the stream has not begun yet\n"); });
  const StopEvent stop(signals.stop());
  auto job = prepare(*options, environment, stop);
  if (!job) return fail(job.error());
  return deliver(*job, signals, stop);
}

}  // namespace mark6::gather
