// SPDX-License-Identifier: MIT
#include "tools/synth_metadata.hpp"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "common/catalog/metadata.hpp"
#include "common/os/file.hpp"

namespace mark6::synth {
namespace {

constexpr std::uint32_t kDiskCapacityGb = 4000;
constexpr std::uint32_t kModuleRateGbps = 4;

std::string extended_msn(std::uint32_t module, const SynthOptions& options) {
  return fmt::format("SYN%{:04}/{}/{}/{}", module, options.disks * kDiskCapacityGb, kModuleRateGbps,
                     options.disks);
}

std::string group_text(const SynthOptions& options) {
  std::string text = std::to_string(options.modules);
  for (std::uint32_t module = 1; module <= options.modules; ++module) {
    text += ":" + extended_msn(module, options);
  }
  return text;
}

std::string disk_serials(std::uint32_t module, const SynthOptions& options) {
  std::string text;
  for (std::uint32_t disk = 0; disk < options.disks; ++disk) {
    text += fmt::format("{}:SYN{:02}{:02}\n", disk, module, disk);
  }
  return text;
}

/// `text` as a Python string literal.
std::string quoted(std::string_view text) {
  std::string literal = "'";
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '\'' || c == '\\') literal += '\\';
    if (byte < 0x20 || byte == 0x7F) {
      literal += fmt::format("\\x{:02x}", byte);
    } else {
      literal += c;
    }
  }
  return literal + "'";
}

/// The scan's name as slist has it, without ".vdif".
std::string_view record_name(std::string_view scan) {
  constexpr std::string_view kSuffix = ".vdif";
  if (scan.size() > kSuffix.size() && scan.ends_with(kSuffix)) scan.remove_suffix(kSuffix.size());
  return scan;
}

std::string record_text(const SynthOptions& options, const SynthPlan& plan) {
  std::uint64_t bytes = 0;
  for (const PlannedDisk& disk : plan.disks) bytes += disk.file_bytes;
  const std::uint64_t per_second = std::uint64_t{options.frame_rate} * options.threads;
  const std::uint64_t duration_s = (plan.frames + per_second - 1) / per_second;
  return fmt::format(
      "{{'status': 'recorded', 'num_str': 1, 'start_tm': {}, "
      "'create_time': '{:%Yy%jd%Hh%Mm%Ss}', 'sn': {}, 'dur': {}, 'spc': 0, 'size': '{:.3f}'}}",
      options.start_unix_s, fmt::gmtime(static_cast<std::time_t>(options.start_unix_s)),
      quoted(record_name(options.scan)), duration_s, static_cast<double>(bytes) / 1e9);
}

/// The file's text, empty where there is none or it cannot be read: it will be made anew then.
std::string old_text_of(const std::string& path) {
  return read_small_file(path, kMaxMetadataBytes).value_or(std::string());
}

}  // namespace

std::string slist_with(std::string_view old_text, const SynthOptions& options,
                       const SynthPlan& plan) {
  const auto old = parse_slist(old_text);
  const std::size_t brace = old_text.rfind('}');
  if (!old || old->empty() || brace == std::string_view::npos) {
    return fmt::format("{{1: {}}}", record_text(options, plan));
  }
  const std::string_view name = record_name(options.scan);
  if (std::any_of(old->begin(), old->end(),
                  [&](const ScanRecord& record) { return record.name == name; })) {
    return std::string(old_text);
  }
  return fmt::format("{}, {}: {}}}", old_text.substr(0, brace), old->size() + 1,
                     record_text(options, plan));
}

Result<void> add_metadata(const SynthOptions& options, const SynthPlan& plan, NewFiles& files) {
  for (const PlannedDisk& disk : plan.disks) {
    if (disk.missing) continue;
    const std::string directory =
        fmt::format("{}/disks/.meta/{}/{}", options.directory, disk.label.module, disk.label.disk);
    auto done = files.make_directories(directory);
    const auto add = [&](const char* name, const std::string& text, IfExists if_exists) {
      const std::string path = directory + "/" + name;
      const bool stays = if_exists == IfExists::kRefuse && exists(path);
      if (done && !stays) done = files.create_text(path, text, if_exists);
    };
    add("eMSN", extended_msn(disk.label.module, options) + "\n", IfExists::kRefuse);
    add("group", group_text(options), IfExists::kRefuse);
    add("disk_sn", disk_serials(disk.label.module, options), IfExists::kRefuse);
    add("state", "recorded\n", IfExists::kRefuse);
    add("slist", slist_with(old_text_of(directory + "/slist"), options, plan), IfExists::kReplace);
    if (!done) return done;
  }
  return {};
}

}  // namespace mark6::synth
