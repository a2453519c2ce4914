// SPDX-License-Identifier: MIT
#include "tools/synth_options.hpp"

#include <fmt/format.h>

#include <array>
#include <charconv>
#include <cmath>
#include <ctime>
#include <utility>

#include "common/base/units.hpp"
#include "common/vdif/header.hpp"
#include "tools/command_line.hpp"

namespace mark6::synth {
namespace {

/// Options whose text is understood after CLI11 has split the line.
struct RawText {
  std::string bytes, blocks, frames, block_size, start, placement = "recorder", layout = "data";
  std::vector<std::string> slow, missing_disks, faults;
};

void declare_scan(CLI::App& app, SynthOptions& o, RawText& raw) {
  app.add_option("--scan", o.scan, "File name of the scan")->capture_default_str();
  auto* const bytes = app.add_option("--bytes", raw.bytes, "Length, e.g. 4G or 100MiB [1G]");
  auto* const blocks = app.add_option("--blocks", raw.blocks, "Length in blocks")->excludes(bytes);
  app.add_option("--frames", raw.frames, "Length in frames")->excludes(bytes)->excludes(blocks);
  app.add_option("--start", raw.start, "Time of the first frame [2015-03-21T08:35:03Z]");
  app.add_flag("--short-last", o.short_last, "The last block is short");
  app.add_option("--short-block", o.short_blocks, "This block is short (repeatable, version 2)")
      ->type_name("N")
      ->allow_extra_args(false);
  app.add_option("--missing-block", o.missing_blocks, "This block was never written (repeatable)")
      ->type_name("N")
      ->allow_extra_args(false);
  app.add_option("--fault", raw.faults,
                 "drop, duplicate, invalid, fill, pattern, length: N frames; jump: N seconds;\n"
                 "thread, epoch: number N. At FRAME, or as the seed decides (repeatable)")
      ->type_name("KIND:N[@FRAME]")
      ->allow_extra_args(false);
  app.add_option("--seed", o.seed, "Everything random depends on it")->capture_default_str();
}

void declare_disks(CLI::App& app, SynthOptions& o, RawText& raw) {
  app.add_option("--modules", o.modules, "Modules")
      ->capture_default_str()
      ->check(CLI::Range(1, 64));
  app.add_option("--disks", o.disks, "Disks in each module")
      ->capture_default_str()
      ->check(CLI::Range(1, 64));
  app.add_option("--placement", raw.placement, "Which disk gets the next block")
      ->capture_default_str()
      ->check(CLI::IsMember({"recorder", "round-robin", "random", "unbalanced"}));
  app.add_option("--slow", raw.slow, "This disk was slow while recording (repeatable)")
      ->type_name("M/D:FACTOR")
      ->allow_extra_args(false);
  app.add_option("--missing-disk", raw.missing_disks, "This disk is not there (repeatable)")
      ->type_name("M/D")
      ->allow_extra_args(false);
  app.add_option("--layout", raw.layout, "data: M/D/data/SCAN, flat: M/D/SCAN as in 2014")
      ->capture_default_str()
      ->check(CLI::IsMember({"data", "flat"}));
  app.add_flag("!--no-meta", o.metadata, "Write no .meta directory");
}

void declare_format(CLI::App& app, SynthOptions& o, RawText& raw) {
  app.add_option("--packet-size", o.packet_bytes, "Bytes of a frame, its header included")
      ->capture_default_str()
      ->check(CLI::Range(40, 1 << 27));
  app.add_option("--block-size", raw.block_size, "Nominal bytes of a block [10M]");
  app.add_option("--sg-version", o.sg_version, "Version of the scatter-gather format")
      ->capture_default_str()
      ->check(CLI::Range(1, 2));
  app.add_option("--frame-rate", o.frame_rate, "Frames per second and thread")
      ->capture_default_str()
      ->check(CLI::Range(1, 1 << 24));
  app.add_option("--threads", o.threads, "VDIF threads")
      ->capture_default_str()
      ->check(CLI::Range(1, 1024));
  app.add_option("--bits", o.bits, "Bits per sample")
      ->capture_default_str()
      ->check(CLI::Range(1, 32));
  app.add_option("--channels", o.channels, "Channels, a power of two")->capture_default_str();
  app.add_option("--station", o.station, "Two letters")->capture_default_str();
  app.add_option("--epoch", o.epoch, "VDIF reference epoch [that of the start]")
      ->check(CLI::Range(0, 63));
}

void declare_output(CLI::App& app, SynthOptions& o) {
  app.add_flag("--sparse", o.sparse,
               "Write headers only, the rest are holes (for hundreds of GB; no sha256)");
  app.add_option("--flat", o.flat_file, "Write the flat stream to this file as well")
      ->type_name("FILE");
  app.add_flag("--force", o.force, "Replace a scan of this name");
  app.add_flag("--json", o.json, "Print the result as JSON");
  app.add_flag("-q,--quiet", o.quiet, "No rate on stderr");
}

Failure wrong(const std::string& option, const std::string& text, const std::string& expected) {
  return failure(ErrorCode::kUsage, option, fmt::format("'{}'", text), expected);
}

Result<std::uint64_t> parse_size(const std::string& option, const std::string& text) {
  auto bytes = parse_bytes(text);
  if (!bytes) bytes.error().path = option;
  return bytes;
}

template <class Number>
std::optional<Number> whole_number(std::string_view text) {
  Number value{};
  const auto [rest, status] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (status != std::errc{} || rest != text.data() + text.size()) return std::nullopt;
  return value;
}

Result<Length> parse_length(const RawText& raw, Length otherwise) {
  if (!raw.bytes.empty()) {
    return parse_size("--bytes", raw.bytes).map([](std::uint64_t n) -> Length {
      return LengthBytes{n};
    });
  }
  for (const bool in_blocks : {true, false}) {
    const std::string& text = in_blocks ? raw.blocks : raw.frames;
    if (text.empty()) continue;
    const auto count = whole_number<std::uint64_t>(text);
    if (!count) return wrong(in_blocks ? "--blocks" : "--frames", text, "a whole number");
    return in_blocks ? Length(LengthBlocks{*count}) : Length(LengthFrames{*count});
  }
  return otherwise;
}

Result<SlowDisk> parse_slow(const std::string& text) {
  const std::size_t colon = text.find(':');
  const auto mistake = wrong("--slow", text, "MODULE/DISK:FACTOR with a factor of at least 1");
  if (colon == std::string::npos) return mistake;
  const auto disk = parse_disk_label(text.substr(0, colon));
  double factor = 0;
  const char* const end = text.data() + text.size();
  const auto [rest, status] = std::from_chars(text.data() + colon + 1, end, factor);
  if (!disk || status != std::errc{} || rest != end || !(factor >= 1 && factor <= 1e6)) {
    return mistake;
  }
  return SlowDisk{*disk, factor};
}

Placement placement_of(const std::string& word) {
  if (word == "round-robin") return Placement::kRoundRobin;
  if (word == "random") return Placement::kRandom;
  return word == "unbalanced" ? Placement::kUnbalanced : Placement::kRecorder;
}

/// Fills in what CLI11 left as text.
Result<void> understand(const RawText& raw, SynthOptions& options) {
  const auto length = parse_length(raw, options.length);
  if (!length) return Failure(length.error());
  options.length = *length;
  if (!raw.block_size.empty()) {
    const auto bytes = parse_size("--block-size", raw.block_size);
    if (!bytes) return Failure(bytes.error());
    options.block_bytes = *bytes;
  }
  if (!raw.start.empty()) {
    const auto start = parse_start(raw.start);
    if (!start) return Failure(start.error());
    options.start_unix_s = *start;
  }
  for (const std::string& text : raw.slow) {
    const auto slow = parse_slow(text);
    if (!slow) return Failure(slow.error());
    options.slow.push_back(*slow);
  }
  for (const std::string& text : raw.missing_disks) {
    const auto disk = parse_disk_label(text);
    if (!disk) return Failure(disk.error());
    options.missing_disks.push_back(*disk);
  }
  for (const std::string& text : raw.faults) {
    const auto fault = parse_fault(text);
    if (!fault) return Failure(fault.error());
    options.faults.push_back(*fault);
  }
  options.placement = placement_of(raw.placement);
  options.flat_layout = raw.layout == "flat";
  return {};
}

/// What CLI11's own checks cannot say.
Result<void> check(const SynthOptions& o) {
  if (o.scan.empty() || o.scan.size() > 255 || o.scan.front() == '.' ||
      o.scan.find('/') != std::string::npos) {
    return wrong("--scan", o.scan, "a file name that does not start with a dot");
  }
  if (o.packet_bytes % 8 != 0) {
    return wrong("--packet-size", std::to_string(o.packet_bytes),
                 "a multiple of 8, as VDIF counts in units of 8 bytes");
  }
  if (o.channels == 0 || (o.channels & (o.channels - 1)) != 0) {
    return wrong("--channels", std::to_string(o.channels), "a power of two");
  }
  if (o.station.size() != 2) return wrong("--station", o.station, "two letters");
  return {};
}

}  // namespace

Result<DiskLabel> parse_disk_label(const std::string& text) {
  const std::size_t slash = text.find('/');
  if (slash != std::string::npos) {
    const std::string_view view = text;
    const auto module = whole_number<std::uint32_t>(view.substr(0, slash));
    const auto disk = whole_number<std::uint32_t>(view.substr(slash + 1));
    if (module && disk) return DiskLabel{*module, *disk};
  }
  return failure(ErrorCode::kUsage, "", fmt::format("'{}' is not a disk", text),
                 "MODULE/DISK, e.g. 1/4");
}

Result<std::int64_t> parse_start(const std::string& text) {
  constexpr std::array<const char*, 4> kForms = {"%Y-%m-%dT%H:%M:%SZ", "%Y-%m-%dT%H:%M:%S",
                                                 "%Y-%m-%d %H:%M:%S", "%Yy%jd%Hh%Mm%Ss"};
  constexpr std::int64_t kFirstEpoch = 946'684'800;  // 2000-01-01, where VDIF's time begins
  for (const char* const form : kForms) {
    std::tm time{};
    const char* const rest = ::strptime(text.c_str(), form, &time);
    if (rest == nullptr || *rest != '\0') continue;
    if (form == kForms.back()) {
      time.tm_mon = 0;
      time.tm_mday = time.tm_yday + 1;  // timegm() carries days into months
    }
    const std::int64_t unix_s = ::timegm(&time);
    if (unix_s >= kFirstEpoch) return unix_s;
  }
  return wrong("--start", text, "a time from 2000 on such as 2015-03-21T08:35:03Z (UTC)");
}

std::variant<SynthOptions, ExitCode> parse_synth_options(const std::vector<std::string>& args,
                                                         Environment& environment) {
  CLI::App app(
      "mark6 synth [options] DIR\n\n"
      "Makes a recording as a Mark6 would: DIR/disks/MODULE/DISK/data/SCAN and DIR/disks/.meta.\n"
      "Prints its size and the sha256 of the flat stream.\n\n"
      "  mark6 synth --modules 2 --bytes 4G /tmp/rec\n"
      "  mark6 synth --slow 1/3:2 --missing-disk 1/5 --json /tmp/rec\n"
      "  mark6 synth --sparse --bytes 300G --modules 4 /tmp/rec",
      "mark6 synth");
  SynthOptions options;
  RawText raw;
  declare_scan(app, options, raw);
  declare_disks(app, options, raw);
  declare_format(app, options, raw);
  declare_output(app, options);
  const ParsedLine line = parse_command_line(app, args, environment);
  if (line.exit) return *line.exit;

  Result<void> sound = understand(raw, options);
  if (sound) sound = check(options);
  if (sound && line.words.size() != 1) {
    sound = failure(ErrorCode::kUsage, "", fmt::format("{} directories named", line.words.size()),
                    "one DIR to write to");
  }
  if (!sound) {
    static_cast<void>(write_text(environment.stderr_fd,
                                 fmt::format("mark6 synth: {}\n", describe(sound.error()))));
    return ExitCode::kUsage;
  }
  options.directory = line.words.front();
  return options;
}

}  // namespace mark6::synth
