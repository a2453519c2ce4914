// SPDX-License-Identifier: MIT
#include <nlohmann/json.hpp>

#include "common/base/clock.hpp"
#include "common/base/escape.hpp"
#include "common/report/stats_json.hpp"
#include "tools/diagnose_output.hpp"

namespace mark6 {
namespace {

using Json = nlohmann::ordered_json;

template <class Number>
Json number_or_null(const std::optional<Number>& number) {
  return number ? Json(*number) : Json(nullptr);
}

Json latency_of(const DiskActivity& activity) {
  return {{"p50", 1e-9 * activity.latency.quantile_ns(0.5)},
          {"p99", 1e-9 * activity.latency.quantile_ns(0.99)},
          {"max", seconds(activity.latency.max_ns())}};
}

DeviceFigures figures_of(const DiskActivity& activity) {
  DeviceFigures figures{.requests = activity.requests,
                        .bytes = activity.bytes,
                        .errors = activity.errors,
                        .retries = activity.retries,
                        .busy_s = seconds(activity.busy_ns),
                        .queue_s = seconds(activity.queue_integral_ns),
                        .latency = {}};
  figures.latency.p50_s = 1e-9 * activity.latency.quantile_ns(0.5);
  figures.latency.p99_s = 1e-9 * activity.latency.quantile_ns(0.99);
  figures.latency.max_s = seconds(activity.latency.max_ns());
  figures.latency.sum_s = figures.queue_s;  // as many as were in flight, over time
  return figures;
}

/// The object that every program has for a device (schema "mark6.stats/1"). It counts the phase
/// that the verdict is made from: all disks together, or else the disk alone.
Json device_object(const DiskUnderTest& disk, const DiskResult& result) {
  DeviceStats device;
  device.module = disk.module;
  device.disk = disk.name;
  device.identity = disk.device;
  device.total = figures_of(result.together.value_or(result.alone.value_or(DiskActivity{})));
  device.total.errors = result.errors;
  device.recent = device.total;
  device.verdict = result.verdict;
  device.blocks = disk.blocks;
  device.block_share = disk.block_share;
  return Json::parse(device_json(device));
}

/// And what only a diagnosis knows.
Json json_of(const DiskUnderTest& disk, const DiskResult& result) {
  Json object = device_object(disk, result);
  object["alone_bytes_per_s"] = result.alone ? Json(result.alone_bytes_per_s) : Json(nullptr);
  object["together_bytes_per_s"] =
      result.together ? Json(result.together_bytes_per_s) : Json(nullptr);
  object["held_up_by_others"] = result.held_up_by_others;
  object["hung"] = result.hung || disk.no_answer;
  object["msn"] = disk.msn.empty() ? Json(nullptr) : Json(valid_utf8(disk.msn));
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
