// SPDX-License-Identifier: MIT
#include "common/account/verdict.hpp"

#include <catch2/catch.hpp>
#include <initializer_list>
#include <utility>
#include <vector>

#include "common/account/disk_activity.hpp"

using mark6::DeviceCounters;
using mark6::DiskActivity;
using mark6::DiskVerdict;
using mark6::judge_disks;
using mark6::Judgement;

namespace {

constexpr std::int64_t kMs = 1'000'000;
constexpr std::int64_t kSpanNs = 10'000 * kMs;

/// Reads of 1 MB that keep the disk busy for so many ms each, two in flight; then it rests.
DiskActivity disk_of(const std::string& name, const std::vector<double>& ms) {
  DeviceCounters counters;
  std::int64_t before = 0, now = 0;  // when the last two reads ended
  for (std::size_t i = 0; i < ms.size(); ++i) {
    if (i == 0) counters.issued(0, 0);
    if (i + 1 < ms.size()) counters.issued(now, now);
    const std::int64_t end = now + static_cast<std::int64_t>(ms[i] * 1e6);
    counters.finished(end, before, 1'000'000, false);
    before = std::exchange(now, end);
  }
  DiskActivity disk = DiskActivity::of(counters, std::max(now, kSpanNs));
  disk.disk = name;
  return disk;
}

DiskActivity disk_of(const std::string& name, double ms, std::size_t reads) {
  return disk_of(name, std::vector<double>(reads, ms));
}

/// 150 reads of 33 ms, some of which take half a second longer.
DiskActivity pausing(const std::string& name, std::initializer_list<std::size_t> at) {
  std::vector<double> ms(150, 33);
  for (const std::size_t i : at) ms[i] += 500;
  return disk_of(name, ms);
}

/// `disks` alike: 33 ms a read, 150 reads in the span of 10 s.
std::vector<DiskActivity> pack_of(int disks) {
  std::vector<DiskActivity> pack;
  for (int i = 0; i < disks; ++i) {
    pack.push_back(disk_of("1/" + std::to_string(i), 33.0 + 0.1 * i, 150));
  }
  return pack;
}

int count(const std::vector<DiskVerdict>& verdicts, Judgement judgement) {
  int n = 0;
  for (const DiskVerdict& verdict : verdicts) n += verdict.judgement == judgement ? 1 : 0;
  return n;
}

}  // namespace

TEST_CASE("verdict: equal disks are fine, and the reason says how fast", "[unit][pure][verdict]") {
  const auto verdicts = judge_disks(pack_of(16), kSpanNs);
  CHECK(count(verdicts, Judgement::kFine) == 16);
  CHECK_THAT(verdicts[3].reason, Catch::StartsWith("a read takes 33 ms, on the other 15 disks"));
  CHECK(verdicts[3].times_slower == Approx(1.0).epsilon(0.1));
  CHECK(verdicts[3].confidence >= 0.9);
}

TEST_CASE("verdict: half the rate is slow, with figures and the time it cost",
          "[unit][pure][verdict]") {
  auto pack = pack_of(16);
  pack[5] = disk_of("1/5", 66, 140);
  pack[5].stall_ns = 4 * kSpanNs / 10;
  const auto verdicts = judge_disks(pack, kSpanNs);
  CHECK(count(verdicts, Judgement::kSlow) == 1);
  CHECK(count(verdicts, Judgement::kFine) == 15);
  CHECK(verdicts[5].judgement == Judgement::kSlow);
  CHECK(verdicts[5].times_slower == Approx(2.0).epsilon(0.1));
  CHECK(verdicts[5].confidence >= 0.85);
  CHECK_THAT(verdicts[5].reason, Catch::Contains("on the other 15 disks 3") &&
                                     Catch::Contains("15 MB/s while busy") &&
                                     Catch::Contains("waited for it 40 % of the time"));
}

TEST_CASE("verdict: what resting disks read ahead makes nobody slow", "[unit][pure][verdict]") {
  auto pack = pack_of(16);
  std::vector<double> rested(200, 30);
  for (std::size_t i = 0; i < rested.size(); ++i) rested[i] = i % 10 < 4 ? 4 : 30;
  for (std::size_t i = 1; i < pack.size(); ++i) pack[i] = disk_of(pack[i].disk, rested);
  const auto verdicts = judge_disks(pack, kSpanNs);
  CHECK(verdicts[0].times_slower > 1.6);  // by the mean
  CHECK(count(verdicts, Judgement::kFine) == 16);
}

TEST_CASE("verdict: credit that throttled devices save up makes nobody slow",
          "[unit][pure][verdict]") {
  // 60 MB/s: of a block of ten reads six pass at once, and four when the next tenth begins.
  std::vector<double> rested(300, 0.3);
  for (std::size_t i = 0; i < rested.size(); i += 10) rested[i] = 97;
  auto pack = pack_of(16);
  for (auto& disk : pack) disk = disk_of(disk.disk, rested);
  // One that never rests, and has 80 % of their rate: every fifth read waits.
  std::vector<double> busy(480, 0.3);
  for (std::size_t i = 0; i < busy.size(); i += 5) busy[i] = 102.8;
  pack[3] = disk_of("1/3", busy);
  auto verdicts = judge_disks(pack, kSpanNs);
  CHECK(verdicts[3].times_slower > 2.0);
  CHECK(count(verdicts, Judgement::kFine) == 16);

  for (std::size_t i = 0; i < busy.size(); i += 5) busy[i] = 165;  // half of their rate
  pack[3] = disk_of("1/3", busy);
  verdicts = judge_disks(pack, kSpanNs);
  CHECK(verdicts[3].judgement == Judgement::kSlow);
  CHECK(count(verdicts, Judgement::kFine) == 15);
}

TEST_CASE("verdict: peers served from a cache tell little", "[unit][pure][verdict]") {
  std::vector<double> cached(300, 0.2);
  for (std::size_t i = 0; i < cached.size(); i += 10) cached[i] = 12;
  auto pack = pack_of(16);
  for (auto& disk : pack) disk = disk_of(disk.disk, cached);
  pack[3] = disk_of("1/3", 12, 500);  // 83 MB/s: what disks do
  const auto verdicts = judge_disks(pack, kSpanNs);
  CHECK(verdicts[3].judgement == Judgement::kUnknown);
  CHECK_THAT(verdicts[3].reason, Catch::Contains("served from a cache"));
  CHECK(count(verdicts, Judgement::kFine) == 15);
  pack[3] = disk_of("1/3", 60, 120);  // 17 MB/s: what none should do
  CHECK(judge_disks(pack, kSpanNs)[3].judgement == Judgement::kSlow);
}

TEST_CASE("verdict: a disk whose mean is spoilt by some of its reads is suspect",
          "[unit][pure][verdict]") {
  auto pack = pack_of(16);
  std::vector<double> ms(100, 33);
  for (std::size_t i = 0; i < ms.size(); i += 12) ms[i] = 600;
  pack[3] = disk_of("1/3", ms);
  const auto verdicts = judge_disks(pack, kSpanNs);
  CHECK(verdicts[3].judgement == Judgement::kSuspect);
  CHECK(verdicts[3].times_slower > 2.2);
}

TEST_CASE("verdict: nothing is said of a disk that mostly rests", "[unit][pure][verdict]") {
  std::vector<double> ms(150, 33);
  for (std::size_t i = 0; i < ms.size(); i += 20) ms[i] = 70;
  auto pack = pack_of(16);
  for (auto& disk : pack) disk = disk_of(disk.disk, ms);
  pack[3] = disk_of("1/3", 66, 60);
  const auto verdicts = judge_disks(pack, kSpanNs);
  CHECK(verdicts[3].judgement == Judgement::kUnknown);
  CHECK_THAT(verdicts[3].reason, Catch::Contains("too little was asked of it"));
  CHECK(count(verdicts, Judgement::kFine) == 15);

  pack[3] = disk_of("1/3", 100, 40);  // unless its every read is slower than their slowest
  CHECK(judge_disks(pack, kSpanNs)[3].judgement == Judgement::kSlow);
}

TEST_CASE("verdict: what was seen for a second is suspect at most", "[unit][pure][verdict]") {
  std::vector<DiskActivity> pack;
  for (int i = 0; i < 8; ++i) pack.push_back(disk_of("1/" + std::to_string(i), 10, 100));
  pack[2] = disk_of("1/2", 40, 25);
  CHECK(judge_disks(pack, 1'000 * kMs)[2].judgement == Judgement::kSuspect);
}

TEST_CASE("verdict: up to half of the disks may be slow", "[unit][pure][verdict]") {
  for (const int slow : {2, 5, 8}) {
    CAPTURE(slow);
    auto pack = pack_of(16);
    for (int i = 0; i < slow; ++i) {
      pack[static_cast<std::size_t>(2 * i)] = disk_of("1/" + std::to_string(2 * i), 80, 120);
    }
    const auto verdicts = judge_disks(pack, kSpanNs);
    CHECK(count(verdicts, Judgement::kSlow) == slow);
    CHECK(count(verdicts, Judgement::kFine) == 16 - slow);
  }
}

TEST_CASE("verdict: with fewer than three peers a disk is suspect at most",
          "[unit][pure][verdict]") {
  for (const int disks : {2, 3}) {
    auto pack = pack_of(disks);
    pack[1] = disk_of("1/1", 132, 70);
    const auto verdicts = judge_disks(pack, kSpanNs);
    CHECK(verdicts[1].judgement == Judgement::kSuspect);
    CHECK_THAT(verdicts[1].reason, Catch::Contains("too few to be sure"));
    CHECK(verdicts[0].judgement == Judgement::kFine);
  }
  const auto alone = judge_disks(pack_of(1), kSpanNs);
  CHECK(alone[0].judgement == Judgement::kUnknown);
  CHECK_THAT(alone[0].reason, Catch::Contains("no other disk"));
}

TEST_CASE("verdict: no verdict without evidence", "[unit][pure][verdict]") {
  auto pack = pack_of(8);
  pack[2] = disk_of("1/2", 100, 5);
  pack[3] = DiskActivity{};
  const auto verdicts = judge_disks(pack, kSpanNs);
  CHECK(verdicts[2].judgement == Judgement::kUnknown);
  CHECK_THAT(verdicts[2].reason, Catch::StartsWith("not enough data: 5 reads"));
  CHECK(verdicts[3].judgement == Judgement::kUnknown);
  CHECK(verdicts[3].confidence == 0.0);
  CHECK(judge_disks({}, kSpanNs).empty());
}

TEST_CASE("verdict: a disk that pauses now and then is suspect", "[unit][pure][verdict]") {
  auto pack = pack_of(16);
  pack[4] = pausing("1/4", {50, 100});
  const auto verdicts = judge_disks(pack, kSpanNs);
  CHECK(verdicts[4].judgement == Judgement::kSuspect);
  CHECK_THAT(verdicts[4].reason, Catch::StartsWith("4 of 150 reads took over ") &&
                                     Catch::Contains("the longest 566 ms") &&
                                     Catch::Contains("(the other 15 disks: none over"));
  CHECK(count(verdicts, Judgement::kFine) == 15);

  SECTION("one pause holds two reads up, and is no pattern") {
    pack[4] = pausing("1/4", {50});
    CHECK(count(judge_disks(pack, kSpanNs), Judgement::kFine) == 16);
  }
  SECTION("when all disks pause it is none of theirs") {
    for (auto& disk : pack) disk = pausing(disk.disk, {50, 100});
    CHECK(count(judge_disks(pack, kSpanNs), Judgement::kFine) == 16);
  }
}

TEST_CASE("verdict: a disk that does not answer at all is slow", "[unit][pure][verdict]") {
  auto pack = pack_of(8);
  DeviceCounters hung;
  hung.issued(0, 0);
  hung.issued(0, 0);
  pack[6] = DiskActivity::of(hung, 5'000 * kMs);
  const auto verdicts = judge_disks(pack, 5'000 * kMs);
  CHECK(verdicts[6].judgement == Judgement::kSlow);
  CHECK_THAT(verdicts[6].reason, Catch::StartsWith("has not answered for 5.0 s (2 in flight)"));
  pack[6] = DiskActivity::of(hung, 100 * kMs);
  CHECK(judge_disks(pack, 100 * kMs)[6].judgement == Judgement::kUnknown);
}

TEST_CASE("verdict: failed and repeated reads are told", "[unit][pure][verdict]") {
  auto pack = pack_of(8);
  pack[1].errors = 1;
  pack[2].errors = 30;
  pack[3].retries = 5;
  pack[4].retries = 1;
  const auto verdicts = judge_disks(pack, kSpanNs);
  CHECK(verdicts[1].judgement == Judgement::kSuspect);
  CHECK(verdicts[1].reason == "1 of 150 reads failed");
  CHECK(verdicts[2].judgement == Judgement::kSlow);
  CHECK(verdicts[3].judgement == Judgement::kSuspect);
  CHECK(verdicts[3].reason == "5 of 150 reads had to be repeated");
  CHECK(verdicts[4].judgement == Judgement::kFine);
}

TEST_CASE("verdict: what the recorder tells makes no disk slow now", "[unit][pure][verdict]") {
  auto pack = pack_of(16);
  for (auto& disk : pack) disk.blocks = 120;
  pack[7].blocks = 60;
  auto verdicts = judge_disks(pack, kSpanNs);
  CHECK(verdicts[7].judgement == Judgement::kFine);
  CHECK(verdicts[7].slow_while_recording);
  CHECK(verdicts[7].recording ==
        "was slow while recording: 60 blocks, the other 15 disks 120 each (0.50 x)");
  CHECK_FALSE(verdicts[6].slow_while_recording);
  CHECK(verdicts[6].recording.empty());

  SECTION("a share that chance explains is no evidence") {
    for (auto& disk : pack) disk.blocks = 20;
    pack[7].blocks = 12;
    CHECK_FALSE(judge_disks(pack, kSpanNs)[7].slow_while_recording);
  }
  SECTION("without a single block, too") {
    pack[7] = DiskActivity{};
    pack[7].blocks = 0;
    verdicts = judge_disks(pack, kSpanNs);
    CHECK(verdicts[7].judgement == Judgement::kUnknown);
    CHECK(verdicts[7].slow_while_recording);
  }
}

TEST_CASE("verdict: disks of a slower model are suspect, not slow", "[unit][pure][verdict]") {
  auto pack = pack_of(16);
  for (std::size_t i = 0; i < 16; ++i) pack[i].model = i < 5 ? "OLD 4T" : "NEW 12T";
  for (std::size_t i = 0; i < 5; ++i) {
    pack[i] = disk_of(pack[i].disk, 66, 140);
    pack[i].model = "OLD 4T";
  }
  const auto verdicts = judge_disks(pack, kSpanNs);
  CHECK(count(verdicts, Judgement::kSuspect) == 5);
  CHECK(count(verdicts, Judgement::kFine) == 11);
  CHECK_THAT(verdicts[0].reason, Catch::Contains("4 others of its model (OLD 4T)"));

  pack[0] = disk_of("1/0", 150, 60);
  pack[0].model = "OLD 4T";
  CHECK(judge_disks(pack, kSpanNs)[0].judgement == Judgement::kSlow);
}

TEST_CASE("verdict: reads of other sizes are not compared", "[unit][pure][verdict]") {
  auto pack = pack_of(8);
  pack[0] = disk_of("1/0", 3, 150);
  pack[0].bytes = 150 * 4096;  // someone reads headers from it
  const auto verdicts = judge_disks(pack, kSpanNs);
  CHECK(verdicts[0].judgement == Judgement::kUnknown);
  CHECK_THAT(verdicts[0].reason, Catch::Contains("no other disk did enough reads of this size"));
  CHECK(verdicts[1].judgement == Judgement::kFine);
}

TEST_CASE("verdict: sums alone (the kernel's counters) need more of a difference",
          "[unit][pure][verdict]") {
  auto pack = pack_of(16);
  pack[1] = disk_of("1/1", 50, 190);
  pack[2] = disk_of("1/2", 132, 75);
  for (auto& disk : pack) disk.latency = {};
  const auto verdicts = judge_disks(pack, kSpanNs);
  CHECK(verdicts[1].judgement == Judgement::kFine);
  CHECK(verdicts[2].judgement == Judgement::kSlow);
  CHECK(verdicts[2].confidence <= 0.9);
}

TEST_CASE("verdict: an interval is judged by what happened in it", "[unit][pure][verdict]") {
  DeviceCounters counters[4];
  std::vector<DiskActivity> before, between;
  std::int64_t now = 0;
  const auto read = [&](DeviceCounters& counter, std::int64_t ms, int reads) {
    std::int64_t at = now;
    for (int i = 0; i < reads; ++i, at += ms * kMs) {
      counter.issued(at, at);
      counter.finished(at + ms * kMs, at, 1'000'000, false);
    }
  };
  read(counters[0], 400, 20);  // was slow, ten minutes ago
  for (int i = 1; i < 4; ++i) read(counters[i], 40, 100);
  now = 600'000 * kMs;
  for (const auto& counter : counters) before.push_back(DiskActivity::of(counter, now));
  for (auto& counter : counters) read(counter, 40, 100);
  for (std::size_t i = 0; i < 4; ++i) {
    between.push_back(DiskActivity::of(counters[i], now + 5'000 * kMs).since(before[i]));
  }
  CHECK(between[0].requests == 100);
  CHECK(between[0].latency.count() == 100);
  CHECK(between[0].latency.max_ns() < 44 * kMs);
  CHECK(count(judge_disks(between, 5'000 * kMs), Judgement::kFine) == 4);
  CHECK(count(judge_disks(before, 8'000 * kMs), Judgement::kSlow) == 1);
}
