// SPDX-License-Identifier: MIT
#include "common/report/stats_json.hpp"

#include <nlohmann/json.hpp>

#include "common/base/escape.hpp"
#include "common/report/stats_keys.hpp"

namespace mark6 {
namespace {

using Json = nlohmann::ordered_json;

/// Texts of /sys are printable already; names and paths may hold anything.
Json text_or_null(const std::optional<std::string>& text) {
  return text ? Json(valid_utf8(*text)) : Json(nullptr);
}

void put_identity(Json& object, const DeviceIdentity& identity) {
  object["kernel_name"] = text_or_null(identity.kernel_name);
  object["serial"] = text_or_null(identity.facts.serial);
  for (const auto& [key, member] : kIdentityTexts) {
    if (identity.*member) object[key] = valid_utf8(*(identity.*member));
  }
  if (identity.number) object["device_number"] = to_string(*identity.number);
  for (const auto& [key, member] : kFactTexts) {
    if (identity.facts.*member) object[key] = valid_utf8(*(identity.facts.*member));
  }
  for (const auto& [key, member] : kFactNumbers) {
    if (identity.facts.*member) object[key] = *(identity.facts.*member);
  }
  if (identity.facts.rotational) object["rotational"] = *identity.facts.rotational;
  Json below = Json::array();
  for (const DeviceIdentity* disk : physical_disks(identity)) {
    if (disk != &identity && disk->kernel_name) below.push_back(valid_utf8(*disk->kernel_name));
  }
  if (!below.empty()) object["below"] = std::move(below);
}

void put_figures(Json& object, const DeviceFigures& figures) {
  for (const auto& [key, member] : kFigureCounts) object[key] = figures.*member;
  for (const auto& [key, member] : kFigureSeconds) object[key] = figures.*member;
  const LatencyFigures& latency = figures.latency;
  Json& latency_s = object["latency_s"];
  latency_s = {{"p50", latency.p50_s},
               {"p99", latency.p99_s},
               {"max", latency.max_s},
               {"sum", latency.sum_s}};
  if (latency.buckets.empty()) return;
  Json& buckets = latency_s["buckets"] = Json::array();
  for (const LatencyBucket& bucket : latency.buckets) {
    if (bucket.requests > 0) buckets.push_back(Json::array({bucket.at_most_s, bucket.requests}));
  }
}

void put_verdict(Json& object, const DiskVerdict& verdict) {
  object["verdict"] = to_string(verdict.judgement);
  object["reason"] = valid_utf8(verdict.reason);
  object["confidence"] = verdict.confidence;
  object["times_slower"] = verdict.times_slower;
  object["slow_while_recording"] = verdict.slow_while_recording;
  object["recording"] = valid_utf8(verdict.recording);
}

Json json_of(const DeviceStats& device) {
  Json object;
  object["module"] = valid_utf8(device.module);
  object["disk"] = valid_utf8(device.disk);
  put_identity(object, device.identity);
  put_figures(object, device.total);
  object["in_flight"] = device.in_flight;
  put_figures(object["recent"], device.recent);
  put_verdict(object, device.verdict);
  object["verdict_span"] = device.verdict_is_recent ? kSpanLast : kSpanAll;
  object["blocks"] = device.blocks ? Json(*device.blocks) : Json(nullptr);
  object["block_share"] = device.block_share ? Json(*device.block_share) : Json(nullptr);
  return object;
}

Json json_of(const StreamStats& stream) {
  Json object;
  object["scan"] = valid_utf8(stream.scan);
  object["bytes"] = stream.bytes;
  object["total_bytes"] = stream.total_bytes;
  object["elapsed_s"] = stream.elapsed_s;
  object["stall_s"] = Json::object();
  for (const auto& [label, stall_s] : stream.stall_s)
    object["stall_s"][valid_utf8(label)] = stall_s;
  object["sink_s"] = stream.sink_s;
  object["work_s"] = stream.work_s;
  object["limit"] = stream.limit;
  object["limit_share"] = stream.limit_share;
  object["limit_reason"] = valid_utf8(stream.limit_reason);
  return object;
}

}  // namespace

std::string device_json(const DeviceStats& device) { return json_of(device).dump(); }

std::string stats_json(const StatsSnapshot& stats) {
  Json object;
  object["schema"] = kStatsSchema;
  object["program"] = stats.program;
  object["target"] = valid_utf8(stats.target);
  object["pid"] = stats.pid;
  object["time"] = stats.time_s;
  object["uptime_s"] = stats.uptime_s;
  object["span_s"] = stats.span_s;
  object["span"] = stats.span_is_all ? kSpanAll : kSpanLast;
  object["devices"] = Json::array();
  for (const DeviceStats& device : stats.devices) object["devices"].push_back(json_of(device));
  object["streams"] = Json::array();
  for (const StreamStats& stream : stats.streams) object["streams"].push_back(json_of(stream));
  object["ended"] = Json::array();
  for (const StreamStats& stream : stats.ended) object["ended"].push_back(json_of(stream));
  return object.dump() + "\n";
}

}  // namespace mark6
