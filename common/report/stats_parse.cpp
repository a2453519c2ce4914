// SPDX-License-Identifier: MIT
// JSON of schema "mark6.stats/1" back into a snapshot. What comes in is another process's word:
// bounded, and no key or type is taken for granted.
#include <limits>
#include <nlohmann/json.hpp>
#include <type_traits>

#include "common/report/stats_json.hpp"
#include "common/report/stats_keys.hpp"

namespace mark6 {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t kMostDevices = 4096;
constexpr std::size_t kMostStreams = 65536;
constexpr std::size_t kMostEntries = 4096;  // of the lists within a device or a stream

/// The member `key`, or null.
const Json& member(const Json& object, const char* key) {
  static const Json kNull;
  if (!object.is_object()) return kNull;
  const auto place = object.find(key);
  return place == object.end() ? kNull : *place;
}

void take(const Json& value, std::string& into) {
  if (value.is_string()) into = value.get<std::string>();
}

void take(const Json& value, double& into) {
  if (value.is_number()) into = value.get<double>();
}

void take(const Json& value, bool& into) {
  if (value.is_boolean()) into = value.get<bool>();
}

void take(const Json& value, std::uint64_t& into) {
  if (value.is_number_unsigned()) into = value.get<std::uint64_t>();
}

void take(const Json& value, std::uint32_t& into) {
  std::uint64_t wide = into;
  take(value, wide);
  if (wide <= std::numeric_limits<std::uint32_t>::max()) into = static_cast<std::uint32_t>(wide);
}

void take(const Json& value, std::int64_t& into) {
  if (value.is_number_integer()) into = value.get<std::int64_t>();
}

template <class T>
void take(const Json& value, std::optional<T>& into) {
  if (value.is_null()) return;
  // Left absent when the type is another one: the default of T must not look like an answer.
  T taken{};
  if constexpr (std::is_same_v<T, std::string>) {
    if (!value.is_string()) return;
  } else if constexpr (std::is_same_v<T, bool>) {
    if (!value.is_boolean()) return;
  } else if constexpr (std::is_same_v<T, double>) {
    if (!value.is_number()) return;
  } else {
    if (!value.is_number_unsigned()) return;
  }
  take(value, taken);
  into = std::move(taken);
}

template <class Object, class Table>
void take_all(const Json& object, const Table& table, Object& into) {
  for (const auto& [key, place] : table) take(member(object, key), into.*place);
}

DeviceIdentity identity_of(const Json& object) {
  DeviceIdentity identity;
  take(member(object, "kernel_name"), identity.kernel_name);
  take(member(object, "serial"), identity.facts.serial);
  take_all(object, kIdentityTexts, identity);
  take_all(object, kFactTexts, identity.facts);
  take_all(object, kFactNumbers, identity.facts);
  take(member(object, "rotational"), identity.facts.rotational);
  std::string number;
  take(member(object, "device_number"), number);
  identity.number = parse_device_number(number);
  const Json& below = member(object, "below");
  if (below.is_array()) {
    for (const Json& name : below) {
      if (!name.is_string() || identity.below.size() == kMostEntries) continue;
      identity.below.emplace_back().kernel_name = name.get<std::string>();
    }
  }
  return identity;
}

DeviceFigures figures_of(const Json& object) {
  DeviceFigures figures;
  take_all(object, kFigureCounts, figures);
  take_all(object, kFigureSeconds, figures);
  const Json& latency = member(object, "latency_s");
  take(member(latency, "p50"), figures.latency.p50_s);
  take(member(latency, "p99"), figures.latency.p99_s);
  take(member(latency, "max"), figures.latency.max_s);
  take(member(latency, "sum"), figures.latency.sum_s);
  const Json& buckets = member(latency, "buckets");
  if (!buckets.is_array()) return figures;
  for (const Json& pair : buckets) {
    if (!pair.is_array() || pair.size() != 2 || figures.latency.buckets.size() == kMostEntries) {
      continue;
    }
    LatencyBucket bucket;
    take(pair[0], bucket.at_most_s);
    take(pair[1], bucket.requests);
    figures.latency.buckets.push_back(bucket);
  }
  return figures;
}

DiskVerdict verdict_of(const Json& object) {
  DiskVerdict verdict;
  std::string word;
  take(member(object, "verdict"), word);
  for (const Judgement judgement : {Judgement::kFine, Judgement::kSuspect, Judgement::kSlow}) {
    if (word == to_string(judgement)) verdict.judgement = judgement;
  }
  take(member(object, "reason"), verdict.reason);
  take(member(object, "confidence"), verdict.confidence);
  take(member(object, "times_slower"), verdict.times_slower);
  take(member(object, "slow_while_recording"), verdict.slow_while_recording);
  take(member(object, "recording"), verdict.recording);
  return verdict;
}

DeviceStats device_of(const Json& object) {
  DeviceStats device;
  take(member(object, "module"), device.module);
  take(member(object, "disk"), device.disk);
  device.identity = identity_of(object);
  device.total = figures_of(object);
  take(member(object, "in_flight"), device.in_flight);
  device.recent = figures_of(member(object, "recent"));
  device.verdict = verdict_of(object);
  std::string span;
  take(member(object, "verdict_span"), span);
  device.verdict_is_recent = span == kSpanLast;
  take(member(object, "blocks"), device.blocks);
  take(member(object, "block_share"), device.block_share);
  return device;
}

StreamStats stream_of(const Json& object) {
  StreamStats stream;
  take(member(object, "scan"), stream.scan);
  take(member(object, "bytes"), stream.bytes);
  take(member(object, "total_bytes"), stream.total_bytes);
  take(member(object, "elapsed_s"), stream.elapsed_s);
  take(member(object, "sink_s"), stream.sink_s);
  take(member(object, "work_s"), stream.work_s);
  take(member(object, "limit"), stream.limit);
  take(member(object, "limit_share"), stream.limit_share);
  take(member(object, "limit_reason"), stream.limit_reason);
  const Json& stalls = member(object, "stall_s");
  if (!stalls.is_object()) return stream;
  for (const auto& [label, stall_s] : stalls.items()) {
    if (stall_s.is_number() && stream.stall_s.size() < kMostEntries) {
      stream.stall_s.emplace_back(label, stall_s.get<double>());
    }
  }
  return stream;
}

template <class Entry>
void take_list(const Json& list, std::size_t most, Entry (*entry_of)(const Json&),
               std::vector<Entry>& into) {
  if (!list.is_array()) return;
  for (const Json& entry : list) {
    if (entry.is_object() && into.size() < most) into.push_back(entry_of(entry));
  }
}

}  // namespace

Result<StatsSnapshot> parse_stats_json(std::string_view text) {
  const auto bad = [](std::string found) {
    return failure(ErrorCode::kBadFormat, "statistics", std::move(found),
                   std::string("JSON of schema ") + kStatsSchema);
  };
  if (text.size() > kStatsJsonLimit) return bad("more than 16 MiB of them");
  const Json object = Json::parse(text, nullptr, /*allow_exceptions=*/false);
  if (object.is_discarded()) return bad("no JSON");
  std::string word;
  take(member(object, "schema"), word);
  if (word != kStatsSchema) return bad("schema '" + word + "'");
  StatsSnapshot stats;
  take(member(object, "program"), stats.program);
  take(member(object, "target"), stats.target);
  take(member(object, "pid"), stats.pid);
  take(member(object, "time"), stats.time_s);
  take(member(object, "uptime_s"), stats.uptime_s);
  take(member(object, "span_s"), stats.span_s);
  word.clear();
  take(member(object, "span"), word);
  stats.span_is_all = word != kSpanLast;
  take_list(member(object, "devices"), kMostDevices, &device_of, stats.devices);
  take_list(member(object, "streams"), kMostStreams, &stream_of, stats.streams);
  take_list(member(object, "ended"), kMostStreams, &stream_of, stats.ended);
  return stats;
}

}  // namespace mark6
