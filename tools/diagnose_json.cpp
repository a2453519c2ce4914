// SPDX-License-Identifier: MIT
#include <nlohmann/json.hpp>

#include "common/base/clock.hpp"
#include "common/base/escape.hpp"
#include "tools/diagnose_output.hpp"

namespace mark6 {
namespace {

using Json = nlohmann::ordered_json;

Json text_or_null(const std::optional<std::string>& text) {
  return text ? Json(valid_utf8(*text)) : Json(nullptr);
}

template <class Number>
Json number_or_null(const std::optional<Number>& number) {
  return number ? Json(*number) : Json(nullptr);
}

Json latency_of(const DiskActivity& activity) {
  return {{"p50", 1e-9 * activity.latency.quantile_ns(0.5)},
          {"p99", 1e-9 * activity.latency.quantile_ns(0.99)},
          {"max", seconds(activity.latency.max_ns())}};
}

/// The keys that every program's device objects have (schema "mark6.stats/1"). They count the phase
/// that the verdict is made from: all disks together, or else the disk alone.
Json device_object(const DiskUnderTest& disk, const DiskResult& result) {
  const DiskActivity activity = result.together.value_or(result.alone.value_or(DiskActivity{}));
  return {{"module", valid_utf8(disk.module)},
          {"disk", valid_utf8(disk.name)},
          {"kernel_name", text_or_null(disk.device.kernel_name)},
          {"serial", text_or_null(disk.device.facts.serial)},
          {"requests", activity.requests},
          {"bytes", activity.bytes},
          {"errors", result.errors},
          {"busy_s", seconds(activity.busy_ns)},
          {"latency_s", latency_of(activity)},
          {"verdict", to_string(result.verdict.judgement)},
          {"reason", valid_utf8(result.verdict.reason)},
          {"block_share", number_or_null(disk.block_share)}};
}

Json json_of(const DiskUnderTest& disk, const DiskResult& result) {
  Json object = device_object(disk, result);
  object["confidence"] = result.verdict.confidence;
  object["alone_bytes_per_s"] = result.alone ? Json(result.alone_bytes_per_s) : Json(nullptr);
  object["together_bytes_per_s"] =
      result.together ? Json(result.together_bytes_per_s) : Json(nullptr);
  object["blocks"] = number_or_null(disk.blocks);
  object["slow_while_recording"] = disk.slow_while_recording;
  object["hung"] = result.hung || disk.no_answer;
  object["msn"] = disk.msn.empty() ? Json(nullptr) : Json(valid_utf8(disk.msn));
  object["model"] = text_or_null(disk.device.facts.model);
  object["directory"] = valid_utf8(disk.directory);
  return object;
}

std::string label(const Diagnosis& diagnosis, std::size_t disk) {
  return valid_utf8(diagnosis.disks[disk].label);
}

Json json_of(const Diagnosis& diagnosis, const Phase& phase) {
  const GroupMeasure& measure = phase.measure;
  Json object{{"name", phase.name},
              {"elapsed_s", seconds(measure.elapsed_ns)},
              {"bytes_per_s", measure.total_rate()},
              {"cpu_s", measure.cpu_s},
              {"machine_busy", number_or_null(measure.machine_busy)},
              {"disks", Json::array()}};
  for (std::size_t i = 0; i < measure.disks.size(); ++i) {
    const DiskActivity& activity = measure.activity[i];
    object["disks"].push_back({{"disk", label(diagnosis, measure.disks[i])},
                               {"bytes_per_s", measure.rate(i)},
                               {"requests", activity.requests},
                               {"bytes", activity.bytes},
                               {"errors", activity.errors},
                               {"busy_s", seconds(activity.busy_ns)},
                               {"latency_s", latency_of(activity)}});
  }
  return object;
}

Json json_of(const ScalingStep& step) {
  return {{"disks", step.disks},
          {"bytes_per_s", step.bytes_per_s},
          {"alone_bytes_per_s", step.alone_bytes_per_s},
          {"efficiency", step.efficiency()},
          {"cpu_s_per_gb", step.cpu_s_per_gb},
          {"machine_busy", number_or_null(step.machine_busy)},
          {"cpu_bound", step.cpu_bound}};
}

Json json_of(const Diagnosis& diagnosis, const Bottleneck& shared) {
  Json object{{"disks", Json::array()}};
  for (const std::size_t disk : shared.group.disks) {
    object["disks"].push_back(label(diagnosis, disk));
  }
  object["cap_bytes_per_s"] = shared.group.cap_bytes_per_s;
  object["why"] = valid_utf8(shared.why);
  return object;
}

}  // namespace

std::string diagnose_json(const Diagnosis& diagnosis) {
  Json answer;
  answer["schema"] = "mark6.diagnose/1";
  for (const char* list : {"devices", "phases", "scaling", "shared", "summary", "notes"}) {
    answer[list] = Json::array();
  }
  for (std::size_t i = 0; i < diagnosis.disks.size(); ++i) {
    answer["devices"].push_back(json_of(diagnosis.disks[i], diagnosis.results[i]));
  }
  for (const Phase& phase : diagnosis.phases) answer["phases"].push_back(json_of(diagnosis, phase));
  for (const ScalingStep& step : diagnosis.scaling) answer["scaling"].push_back(json_of(step));
  for (const Bottleneck& shared : diagnosis.shared) {
    answer["shared"].push_back(json_of(diagnosis, shared));
  }
  for (const std::string& line : summary_of(diagnosis)) {
    answer["summary"].push_back(valid_utf8(line));
  }
  for (const std::string& note : diagnosis.notes) answer["notes"].push_back(valid_utf8(note));
  answer["complete"] = !diagnosis.out_of_time;
  return answer.dump() + "\n";
}

}  // namespace mark6
