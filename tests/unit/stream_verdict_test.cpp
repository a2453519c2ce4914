// SPDX-License-Identifier: MIT
#include "common/account/stream_verdict.hpp"

#include <catch2/catch.hpp>

using mark6::DiskActivity;
using mark6::DiskVerdict;
using mark6::judge_stream;
using mark6::Judgement;
using mark6::StallLedger;
using mark6::StreamLimit;
using mark6::StreamVerdict;

namespace {

constexpr std::int64_t kPercent = 100'000'000;  // of 10 s

/// A stream of 10 s over disks that were waited for so many percent each.
struct Stream {
  StallLedger::Snapshot time;
  std::vector<DiskActivity> disks;
  std::vector<DiskVerdict> verdicts;

  Stream(std::vector<int> disk_percent, int sink_percent) {
    int left = 100 - sink_percent;
    for (const int percent : disk_percent) {
      time.disk_ns.push_back(percent * kPercent);
      left -= percent;
      disks.emplace_back().disk = "1/" + std::to_string(disks.size());
      verdicts.emplace_back().judgement = Judgement::kFine;
    }
    time.elapsed_ns = 100 * kPercent;
    time.sink_ns = sink_percent * kPercent;
    time.work_ns = left * kPercent;
  }
  [[nodiscard]] StreamVerdict judged() const { return judge_stream(time, disks, verdicts); }
};

}  // namespace

TEST_CASE("stream verdict: a slow disk that is waited for limits the stream",
          "[unit][pure][verdict]") {
  Stream stream({2, 70, 3, 1}, 20);
  stream.verdicts[1].judgement = Judgement::kSlow;
  const auto verdict = stream.judged();
  CHECK(verdict.limit == StreamLimit::kDisk);
  CHECK(verdict.disks == std::vector<std::size_t>{1});
  CHECK(verdict.share == Approx(0.76));
  CHECK(verdict.reason ==
        "limited by disk 1/1 (slow): waiting for disks 76 % (longest 1/1, 70 %), for the sink "
        "20 %, own work 4 %");
}

TEST_CASE("stream verdict: two slow disks are both named, the longest waited for first",
          "[unit][pure][verdict]") {
  Stream stream({30, 2, 45, 3}, 15);
  stream.verdicts[0].judgement = Judgement::kSuspect;
  stream.verdicts[2].judgement = Judgement::kSlow;
  const auto verdict = stream.judged();
  CHECK(verdict.limit == StreamLimit::kDisk);
  CHECK(verdict.disks == std::vector<std::size_t>{2, 0});
  CHECK_THAT(verdict.reason,
             Catch::StartsWith("limited by disks 1/2 (slow), 1/0 (suspect): waiting"));
}

TEST_CASE("stream verdict: healthy disks limit together, whichever was waited for most",
          "[unit][pure][verdict]") {
  const auto verdict = Stream({50, 10, 10, 10}, 15).judged();
  CHECK(verdict.limit == StreamLimit::kDisks);
  CHECK(verdict.disks.empty());
  CHECK_THAT(verdict.reason, Catch::StartsWith("limited by the disks all together"));
}

TEST_CASE("stream verdict: a slow disk that nobody waits for does not limit",
          "[unit][pure][verdict]") {
  Stream stream({1, 1, 1, 1}, 94);
  stream.verdicts[1].judgement = Judgement::kSlow;
  const auto verdict = stream.judged();
  CHECK(verdict.limit == StreamLimit::kSink);
  CHECK(verdict.share == Approx(0.94));
  CHECK_THAT(verdict.reason, Catch::StartsWith("limited by the sink"));

  stream = Stream({20, 20, 2, 20}, 30);
  stream.verdicts[2].judgement = Judgement::kSlow;
  CHECK(stream.judged().limit == StreamLimit::kDisks);
}

TEST_CASE("stream verdict: own work, and too short a time", "[unit][pure][verdict]") {
  CHECK(Stream({10, 10}, 30).judged().limit == StreamLimit::kWork);
  CHECK(Stream({}, 30).judged().limit == StreamLimit::kWork);
  CHECK(judge_stream({}, {}, {}).limit == StreamLimit::kUnknown);
}

TEST_CASE("stream verdict: the ledger of an interval adds up to its time",
          "[unit][pure][verdict]") {
  StallLedger ledger(2, 0);
  ledger.waiting_for_disk(mark6::DiskIndex(1), 10);
  const auto before = ledger.snapshot(50);
  ledger.waiting_for_sink(70);
  const auto between = interval(before, ledger.snapshot(100));
  CHECK(between.elapsed_ns == 50);
  CHECK(between.disk_ns == std::vector<std::int64_t>{0, 20});
  CHECK(between.sink_ns == 30);
  CHECK(between.work_ns == 0);
}
