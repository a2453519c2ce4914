// SPDX-License-Identifier: MIT
// `mark6 synth`: makes recordings for tests, demonstrations and measurements. The story: options,
// plan (which block lies where), writing, answer. Nothing here reads the clock or chance, so a
// command line names one recording, byte for byte.
#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <optional>

#include "common/base/clock.hpp"
#include "common/base/escape.hpp"
#include "common/base/units.hpp"
#include "tools/subcommands.hpp"
#include "tools/synth_options.hpp"
#include "tools/synth_plan.hpp"
#include "tools/synth_write.hpp"

namespace mark6 {
namespace {

using synth::PlannedDisk;
using synth::SynthOptions;
using synth::SynthPlan;

std::string ranges_text(const SynthPlan& plan) {
  std::string text;
  for (const auto& [first, last] : plan.missing_ranges()) {
    if (!text.empty()) text += ",";
    text += first == last ? std::to_string(first) : fmt::format("{}-{}", first, last);
  }
  return text.empty() ? "none" : text;
}

std::string faults_text(const SynthPlan& plan) {
  std::string text;
  for (const synth::PlantedFault& fault : plan.faults.planted()) {
    if (!text.empty()) text += ",";
    text += fmt::format("{}:{}@{}", to_string(fault.kind),
                        fault.count == 0 ? fault.amount : static_cast<std::int64_t>(fault.count),
                        fault.frame);
  }
  return text;
}

nlohmann::ordered_json faults_json(const SynthPlan& plan) {
  auto list = nlohmann::ordered_json::array();
  for (const synth::PlantedFault& fault : plan.faults.planted()) {
    nlohmann::ordered_json json = {{"kind", to_string(fault.kind)}, {"frame", fault.frame}};
    if (fault.count > 0) json["frames"] = fault.count;
    if (fault.kind == synth::FaultKind::kJump) json["seconds"] = fault.amount;
    if (fault.kind == synth::FaultKind::kThread) json["thread"] = fault.amount;
    if (fault.kind == synth::FaultKind::kEpoch) json["epoch"] = fault.amount;
    const auto offset = plan.flat_offset(fault.position);
    json["offset"] = offset ? nlohmann::ordered_json(*offset) : nlohmann::ordered_json();
    list.push_back(json);
  }
  return list;
}

std::string as_text(const SynthOptions& options, const SynthPlan& plan,
                    const std::optional<std::string>& sha256) {
  const auto [first, last] = plan.first_and_last();
  std::string text;
  const auto line = [&text](const char* key, const std::string& value) {
    text += fmt::format("{}: {}\n", key, value);
  };
  line("scan", escaped(options.scan));
  line("bytes", std::to_string(plan.flat_bytes));
  line("blocks", std::to_string(plan.blocks_present()));
  line("first_block", std::to_string(first));
  line("last_block", std::to_string(last));
  line("missing", ranges_text(plan));
  line("block_size", std::to_string(plan.header.block_size));
  line("packet_size", std::to_string(plan.header.packet_size));
  line("disks", std::to_string(plan.disks.size()));
  if (!plan.faults.empty()) line("faults", faults_text(plan));
  if (sha256) line("sha256", *sha256);
  return text;
}

std::string as_json(const SynthOptions& options, const SynthPlan& plan,
                    const std::optional<std::string>& sha256) {
  const auto [first, last] = plan.first_and_last();
  nlohmann::ordered_json json = {{"schema", "mark6.synth/1"},
                                 {"scan", valid_utf8(options.scan)},
                                 {"bytes", plan.flat_bytes},
                                 {"blocks", plan.blocks_present()},
                                 {"first_block", first},
                                 {"last_block", last},
                                 {"missing", plan.missing_ranges()},
                                 {"block_size", plan.header.block_size},
                                 {"packet_size", plan.header.packet_size},
                                 {"disks", plan.disks.size()},
                                 {"fragments", nlohmann::ordered_json::array()}};
  for (const PlannedDisk& disk : plan.disks) {
    if (disk.missing) continue;
    json["fragments"].push_back({{"disk", fmt::format("{}/{}", disk.label.module, disk.label.disk)},
                                 {"blocks", disk.blocks},
                                 {"bytes", disk.file_bytes}});
  }
  if (!plan.faults.empty()) json["faults"] = faults_json(plan);
  if (sha256) json["sha256"] = *sha256;
  return json.dump(1) + "\n";
}

ExitCode fail(const Error& error, Environment& environment) {
  static_cast<void>(
      write_text(environment.stderr_fd, fmt::format("mark6 synth: {}\n", describe(error))));
  return exit_code_of(error.code);
}

}  // namespace

ExitCode run_synth(const std::vector<std::string>& args, Environment& environment) {
  const auto parsed = synth::parse_synth_options(args, environment);
  if (const auto* exit = std::get_if<ExitCode>(&parsed)) return *exit;
  const auto& options = std::get<SynthOptions>(parsed);

  const auto plan = synth::make_plan(options);
  if (!plan) return fail(plan.error(), environment);

  const std::int64_t began_ns = monotonic_ns();
  const auto sha256 = synth::write_recording(options, *plan, environment.stop);
  if (!sha256) return fail(sha256.error(), environment);

  if (!options.quiet && !options.sparse) {
    const double elapsed_s = seconds(monotonic_ns() - began_ns);
    static_cast<void>(write_text(
        environment.stderr_fd,
        fmt::format("mark6 synth: {} in {}, {}\n", format_bytes(plan->flat_bytes),
                    format_duration(elapsed_s), format_rate(plan->flat_bytes, elapsed_s))));
  }
  const auto answer =
      options.json ? as_json(options, *plan, *sha256) : as_text(options, *plan, *sha256);
  const auto told = write_text(environment.stdout_fd, answer);
  return told ? ExitCode::kDelivered : fail(told.error(), environment);
}

}  // namespace mark6
