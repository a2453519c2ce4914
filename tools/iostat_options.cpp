// SPDX-License-Identifier: MIT
#include "tools/iostat_options.hpp"

#include <charconv>
#include <cmath>

#include "tools/command_line.hpp"

namespace mark6 {
namespace {

constexpr double kLeastSeconds = 0.1;  // the kernel counts times in ms
constexpr double kMostSeconds = 366.0 * 86'400;

constexpr const char* kExamples =
    R"(A line per disk, grouped by module: what the kernel says (the columns of iostat -x) and what the
running mark6fs and mark6gather of this user say (ourMB/s, p99_ms, %stall, verdict).
INTERVAL is in seconds (0.5 will do); without it there is one report, since boot. COUNT reports are
given, the first of them since boot (-y: without that one); without COUNT they go on until Ctrl-C.

examples:
  mark6 iostat -y 1                the last second, again and again
  mark6 iostat -y --map 10 1       the module map, slow disks marked, after 10 seconds
  mark6 iostat -y --json 5 | jq '.devices[] | select(.verdict == "slow")'

exit codes: 0 all reports given, 2 usage, 3 no modules found, 4 I/O error, 5 stopped before COUNT)";

void declare(CLI::App& app, IostatOptions& options, bool& megabytes) {
  set_usage(app, "[options] [INTERVAL [COUNT]]");
  app.footer(kExamples);
  app.set_version_flag("--version", "mark6 " MARK6_VERSION, "print the version");
  // A --root takes one word; without this it would swallow the interval behind it.
  app.add_option("--root", options.roots, "disk directories (a quoted glob; may be repeated)")
      ->type_name("GLOB")
      ->allow_extra_args(false);
  app.add_flag("-x,--extended", options.view.extended,
               "all columns of iostat -x, and more of ours");
  app.add_flag("-y", options.skip_first, "leave out the first report, the one since boot");
  app.add_flag("-H", options.view.totals_only, "totals of the modules only, no line per disk");
  auto* mega = app.add_flag("-m", megabytes,
                            "rates in MB/s as iostat has them, 1024 * 1024 bytes "
                            "(the default)");
  app.add_flag("-k", options.view.kilobytes, "rates in kB/s, 1024 bytes")->excludes(mega);
  auto* map = app.add_flag("--map", options.map, "the module map in place of the table");
  app.add_flag("--json", options.json, "a JSON object per report, on a line")->excludes(map);
  app.add_flag("-q,--quiet", options.quiet, "errors only on stderr");
}

Result<void> take_words(const std::vector<std::string>& words, IostatOptions& options) {
  if (words.size() > 2) {
    return failure(ErrorCode::kUsage, words[2], "one word too many", "INTERVAL and COUNT",
                   "name disks by --root");
  }
  if (!words.empty()) {
    const auto interval_ns = parse_interval(words[0]);
    if (!interval_ns) return Failure(interval_ns.error());
    options.interval_ns = *interval_ns;
  }
  if (words.size() > 1) {
    const auto count = parse_count(words[1]);
    if (!count) return Failure(count.error());
    options.count = *count;
  }
  return {};
}

}  // namespace

Result<std::int64_t> parse_interval(const std::string& word) {
  double seconds = 0;
  const char* end = word.data() + word.size();
  const auto parsed = std::from_chars(word.data(), end, seconds);
  if (parsed.ec != std::errc{} || parsed.ptr != end || !std::isfinite(seconds)) {
    return failure(ErrorCode::kUsage, word, "no INTERVAL", "seconds, as 1 or 0.5",
                   "disks are named by --root");
  }
  if (seconds < kLeastSeconds || seconds > kMostSeconds) {
    return failure(ErrorCode::kUsage, word, "no INTERVAL", "0.1 s to a year",
                   "leave it out for one report since boot");
  }
  return std::llround(seconds * 1e9);
}

Result<std::uint64_t> parse_count(const std::string& word) {
  std::uint64_t count = 0;
  const char* end = word.data() + word.size();
  const auto parsed = std::from_chars(word.data(), end, count);
  if (parsed.ec != std::errc{} || parsed.ptr != end || count == 0) {
    return failure(ErrorCode::kUsage, word, "no COUNT", "a number of reports, 1 or more",
                   "leave it out to go on until stopped");
  }
  return count;
}

IostatLine parse_iostat_line(const std::vector<std::string>& args, Environment& environment) {
  IostatLine line;
  CLI::App app("Shows what the disks of the modules do, and which of them are slow.",
               "mark6 iostat");
  bool megabytes = false;
  declare(app, line.options, megabytes);
  const ParsedLine parsed = parse_command_line(app, args, environment);
  line.exit = parsed.exit;
  if (line.exit) return line;
  const auto taken = take_words(parsed.words, line.options);
  if (!taken) {
    static_cast<void>(
        write_text(environment.stderr_fd, "mark6 iostat: " + describe(taken.error()) + "\n"));
    line.exit = ExitCode::kUsage;
  }
  const bool wanted = environment.stdout_is_tty && !environment.variable("NO_COLOR") &&
                      environment.variable("TERM") != "dumb";
  line.options.view.colour = wanted;
  return line;
}

}  // namespace mark6
