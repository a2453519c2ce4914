// SPDX-License-Identifier: MIT
#include "common/report/stats_json.hpp"

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "tests/support/stats_example.hpp"

using namespace mark6;
using nlohmann::json;

TEST_CASE("stats json: it has the keys that are promised, with their types",
          "[unit][stats][pure]") {
  const std::string text = stats_json(test::example_stats());
  CHECK(text.find('\n') == text.size() - 1);
  const json object = json::parse(text);
  CHECK(object["schema"] == "mark6.stats/1");
  CHECK(object["program"] == "mark6gather");
  CHECK(object["pid"].is_number_unsigned());
  CHECK(object["time"].is_number());
  CHECK(object["span"] == "last");
  REQUIRE(object["devices"].size() == 2);
  for (const json& device : object["devices"]) {
    for (const char* key : {"module", "disk", "verdict", "reason"}) CHECK(device[key].is_string());
    for (const char* key :
         {"requests", "bytes", "errors", "retries", "cached_bytes", "in_flight"}) {
      CHECK(device[key].is_number_unsigned());
    }
    for (const char* key : {"busy_s", "queue_s", "queue_wait_s", "stall_s", "confidence"}) {
      CHECK(device[key].is_number());
    }
    for (const char* key : {"p50", "p99", "max"}) CHECK(device["latency_s"][key].is_number());
    for (const char* key : {"kernel_name", "serial", "block_share"}) CHECK(device.contains(key));
  }
  CHECK(object["devices"][0]["kernel_name"] == "sdr");
  CHECK(object["devices"][0]["verdict"] == "slow");
  CHECK(object["devices"][1]["serial"].is_null());
  CHECK_FALSE(object["devices"][1].contains("model"));
  const json& stream = object["streams"][0];
  CHECK(stream["stall_s"] == json{{"2/5", 2.5}, {"1/0", 0.5}});
  for (const char* key : {"elapsed_s", "sink_s", "work_s"}) CHECK(stream[key].is_number());
  CHECK(stream["bytes"] == 4'000'000'000);
}

TEST_CASE("stats json: what was written is read back", "[unit][stats][pure]") {
  const StatsSnapshot stats = test::example_stats();
  const auto back = parse_stats_json(stats_json(stats));
  REQUIRE(back);
  CHECK(stats_json(*back) == stats_json(stats));
  REQUIRE(back->devices.size() == 2);
  CHECK(back->devices[0].label() == "2/5");
  CHECK(back->devices[0].total.requests == stats.devices[0].total.requests);
  CHECK(back->devices[0].recent.stall_s == stats.devices[0].recent.stall_s);
  CHECK(back->devices[0].verdict.judgement == Judgement::kSlow);
  CHECK(back->devices[0].identity.facts.rotational == true);
  CHECK(back->devices[0].identity.number == DeviceNumber{65, 16});
  CHECK_FALSE(back->devices[1].identity.facts.serial);
  CHECK(back->streams[0].stall_s == stats.streams[0].stall_s);
  CHECK_FALSE(back->span_is_all);
}

TEST_CASE("stats json: names of any bytes become valid JSON", "[unit][stats][pure]") {
  StatsSnapshot stats = test::example_stats();
  stats.streams[0].scan = "a\"\x1b\xff";
  stats.devices[0].identity.backing_file = "/x\xc3(";
  CHECK(json::parse(stats_json(stats))["streams"][0]["scan"] == "a\"\x1b\xEF\xBF\xBD");
}

TEST_CASE("stats json: what others send is taken with tolerance", "[unit][stats][pure]") {
  CHECK_FALSE(parse_stats_json(""));
  CHECK_FALSE(parse_stats_json("{\"schema\":"));
  CHECK_FALSE(parse_stats_json("[]"));
  CHECK_FALSE(parse_stats_json(R"({"schema":"mark6.list/1"})"));
  CHECK_FALSE(parse_stats_json(std::string(kStatsJsonLimit + 1, ' ')));
  CHECK_FALSE(parse_stats_json(std::string(1'000'000, '[')));
  const auto odd = parse_stats_json(R"({"schema":"mark6.stats/1","pid":"x","new":{},"devices":[7,
    {"disk":5,"bytes":-1,"requests":1.5,"latency_s":[],"verdict":"great","block_share":"x",
     "in_flight":4294967296,"rotational":1,"below":[1,"sda"]}],
    "streams":[{"stall_s":{"1/2":"x","1/3":1}}]})");
  REQUIRE(odd);
  CHECK(odd->pid == 0);
  REQUIRE(odd->devices.size() == 1);
  const DeviceStats& device = odd->devices[0];
  CHECK(device.disk.empty());
  CHECK(device.total.bytes == 0);
  CHECK(device.total.requests == 0);
  CHECK(device.in_flight == 0);
  CHECK(device.verdict.judgement == Judgement::kUnknown);
  CHECK_FALSE(device.block_share);
  CHECK_FALSE(device.identity.facts.rotational);
  CHECK(device.identity.below.size() == 1);
  CHECK(odd->streams[0].stall_s == std::vector<std::pair<std::string, double>>{{"1/3", 1.0}});
}

TEST_CASE("stats: buckets count every request that took no longer than the last",
          "[unit][stats][pure]") {
  DeviceCounters counters;
  std::int64_t now_ns = 0;
  for (const std::int64_t took_ns : {1LL, 65'535LL, 65'536LL, 1'000'000LL, 40'000'000'000LL}) {
    counters.issued(now_ns, now_ns);
    counters.finished(now_ns + took_ns, now_ns, 100, false);
    now_ns += took_ns;
  }
  const DeviceFigures figures =
      figures_of(counters.snapshot(now_ns), LatencyCounts(counters.latency()));
  CHECK(figures.requests == 5);
  CHECK(figures.bytes == 500);
  CHECK(figures.latency.max_s == Approx(40));
  CHECK(figures.latency.sum_s == Approx(40.001131072));
  const auto& buckets = figures.latency.buckets;
  REQUIRE(buckets.size() == 20);
  CHECK(buckets.front() == LatencyBucket{65'536e-9, 2});
  CHECK(buckets[1] == LatencyBucket{131'072e-9, 1});
  CHECK(buckets[4].requests == 1);
  std::uint64_t sum = 0;
  for (const LatencyBucket& bucket : buckets) sum += bucket.requests;
  CHECK(sum == 4);  // 40 s lie above all of them
}
