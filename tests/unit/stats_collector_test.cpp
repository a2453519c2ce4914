// SPDX-License-Identifier: MIT
#include "common/report/stats_collector.hpp"

#include <array>
#include <catch2/catch.hpp>
#include <numeric>
#include <optional>

using namespace mark6;

namespace {

constexpr std::int64_t kMs = 1'000'000;
constexpr std::int64_t kSecond = 1000 * kMs;

/// Four disks whose reads take so long, one after the other.
struct Pack {
  std::array<DeviceCounters, 4> counters;
  std::array<std::int64_t, 4> read_ms = {10, 10, 10, 10};
  StallLedger ledger{4, 0};
  std::uint64_t bytes = 0;
  StatsCollector collector{"mark6gather", "scan", 0};
  std::int64_t now_ns = 0;

  Pack() {
    for (std::size_t i = 0; i < counters.size(); ++i) {
      collector.add_disk("1", std::to_string(i), counters[i]);
    }
  }

  /// Lets `seconds` pass; the disks read all the time, the consumer waits for disk 2.
  void run(int seconds) {
    ledger.waiting_for_disk(DiskIndex(2), now_ns);
    const std::int64_t until_ns = now_ns + seconds * kSecond;
    for (std::size_t i = 0; i < counters.size(); ++i) {
      for (std::int64_t t = now_ns; t < until_ns; t += read_ms[i] * kMs) {
        counters[i].issued(t, t);
        counters[i].finished(t + read_ms[i] * kMs, t, 1'000'000, false);
      }
    }
    now_ns = until_ns;
    bytes += static_cast<std::uint64_t>(seconds) * 1'000'000;
    ledger.working(now_ns);
  }

  /// The same in steps of 5 s, as the exporter's thread sees them.
  void run_and_tick(int seconds) {
    for (int done = 0; done < seconds; done += 5) {
      collector.tick(now_ns);
      run(5);
    }
  }

  StreamSample sample() const { return {bytes, ledger.snapshot(now_ns)}; }
};

}  // namespace

TEST_CASE("collector: a snapshot has all disks and streams, and the ledger adds up",
          "[unit][stats][pure]") {
  Pack pack;
  const auto stream = pack.collector.add_stream("scan", 77, [&] { return pack.sample(); });
  pack.collector.set_blocks({30, 30, std::nullopt, 40});
  DeviceIdentity identity;
  identity.kernel_name = "sdx";
  pack.collector.set_identity(2, identity);
  pack.run(4);
  const StatsSnapshot stats = pack.collector.snapshot(pack.now_ns);
  REQUIRE(stats.devices.size() == 4);
  CHECK(stats.devices[2].label() == "1/2");
  CHECK(stats.devices[2].identity.kernel_name == "sdx");
  CHECK(pack.collector.names() == std::vector<std::string>{"1/0", "1/1", "1/2 (sdx)", "1/3"});
  CHECK(stats.devices[2].total.requests == 400);
  CHECK(stats.devices[2].total.stall_s == Approx(4));
  CHECK(stats.devices[0].block_share == 0.3);
  CHECK_FALSE(stats.devices[2].blocks);
  CHECK(stats.span_is_all);
  CHECK(stats.uptime_s == Approx(4));
  REQUIRE(stats.streams.size() == 1);
  const StreamStats& told = stats.streams[0];
  CHECK(told.bytes == 4'000'000);
  CHECK(told.total_bytes == 77);
  double sum_s = told.sink_s + told.work_s;
  for (const auto& entry : told.stall_s) sum_s += entry.second;
  CHECK(sum_s == Approx(told.elapsed_s));
  CHECK(stall_of(told, "1/2") == Approx(4));
}

TEST_CASE("collector: verdicts are about the last ten seconds, and about all at the end",
          "[unit][stats][pure]") {
  Pack pack;
  const auto stream = pack.collector.add_stream("scan", 0, [&] { return pack.sample(); });
  pack.read_ms[2] = 100;  // slow at first
  pack.run_and_tick(60);
  CHECK(pack.collector.snapshot(pack.now_ns).devices[2].verdict.judgement == Judgement::kSlow);
  pack.read_ms[2] = 10;  // and as the others from then on
  pack.run_and_tick(20);
  const StatsSnapshot recent = pack.collector.snapshot(pack.now_ns);
  CHECK_FALSE(recent.span_is_all);
  CHECK(recent.span_s >= 10);
  CHECK(recent.span_s <= 20);
  CHECK(recent.devices[2].verdict.judgement == Judgement::kFine);
  CHECK(recent.devices[2].verdict_is_recent);
  CHECK(recent.devices[2].recent.requests == static_cast<std::uint64_t>(recent.span_s * 100));
  CHECK(recent.devices[2].total.requests == 600 + 2000);
  const StatsSnapshot all = pack.collector.snapshot(pack.now_ns, StatsSpan::kAll);
  CHECK_FALSE(all.devices[2].verdict_is_recent);
  CHECK(all.devices[2].verdict.judgement >= Judgement::kSuspect);  // slow once, fine since
}

TEST_CASE("collector: disks that rest keep the verdict on what they did before",
          "[unit][stats][pure]") {
  Pack pack;
  pack.read_ms[2] = 100;
  pack.run_and_tick(20);
  for (int i = 0; i < 6; ++i) pack.collector.tick(pack.now_ns += 5 * kSecond);
  const StatsSnapshot stats = pack.collector.snapshot(pack.now_ns);
  CHECK(stats.devices[2].recent.requests == 0);
  CHECK_FALSE(stats.devices[2].verdict_is_recent);
  CHECK(stats.devices[2].verdict.judgement == Judgement::kSlow);
}

TEST_CASE("collector: streams that ended are summed up by scan", "[unit][stats][pure]") {
  Pack pack;
  for (int i = 0; i < 2; ++i) {
    auto stream = pack.collector.add_stream("scan", 100, [&] { return pack.sample(); });
    pack.run(2);
    auto moved = std::move(stream);  // the handle that is left counts, once
  }
  const StatsSnapshot stats = pack.collector.snapshot(pack.now_ns);
  CHECK(stats.streams.empty());
  REQUIRE(stats.ended.size() == 1);
  CHECK(stats.ended[0].bytes == 2'000'000 + 4'000'000);
  CHECK(stall_of(stats.ended[0], "1/2") == Approx(2 + 4));
  CHECK(stats.devices[2].total.stall_s == Approx(2 + 4));
}

TEST_CASE("collector: disks may be added while it runs", "[unit][stats][pure]") {
  Pack pack;
  pack.run_and_tick(20);
  const DeviceCounters more;
  pack.collector.add_disk("", "9", more);
  const StatsSnapshot stats = pack.collector.snapshot(pack.now_ns);
  REQUIRE(stats.devices.size() == 5);
  CHECK(stats.devices[4].label() == "9");
  CHECK(stats.devices[4].recent.requests == 0);
}
