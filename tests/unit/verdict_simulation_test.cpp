// SPDX-License-Identifier: MIT
// Verdicts on simulated packs: no false alarm in thousands of healthy ones, and slow disks found.
#include <algorithm>
#include <catch2/catch.hpp>
#include <random>

#include "common/account/stream_verdict.hpp"
#include "common/account/verdict.hpp"
#include "tests/support/sanitized.hpp"
#include "tests/support/simulated_pack.hpp"

using mark6::DiskActivity;
using mark6::DiskVerdict;
using mark6::Judgement;
using mark6::StreamLimit;
using mark6::StreamVerdict;
using mark6::test::kSanitized;
using mark6::test::PlacedBy;
using mark6::test::SimulatedLook;
using mark6::test::SimulatedPack;
using mark6::test::Simulation;

namespace {

/// Verdicts on a span of a stream.
struct Judged {
  std::vector<DiskVerdict> disks;
  StreamVerdict stream;
};

Judged judge(const SimulatedLook& look) {
  Judged judged;
  judged.disks = judge_disks(look.disks, look.time.elapsed_ns);
  judged.stream = judge_stream(look.time, look.disks, judged.disks);
  return judged;
}

Judged judge_between(const SimulatedLook& before, const SimulatedLook& now) {
  SimulatedLook between;
  between.time = interval(before.time, now.time);
  for (std::size_t i = 0; i < now.disks.size(); ++i) {
    between.disks.push_back(now.disks[i].since(before.disks[i]));
  }
  return judge(between);
}

enum class Kind { kThrottled, kRotating };

/// Pack `n` of a series: sizes, rates, window and read-ahead vary with it; its disks differ by up
/// to `jitter` either way.
SimulatedPack pack_of(Kind kind, std::uint64_t n, std::size_t disks, double jitter) {
  std::mt19937_64 random(n * 7919 + 1);
  const auto between = [&random](double low, double high) {
    return std::uniform_real_distribution<double>(low, high)(random);
  };
  SimulatedPack pack;
  pack.seed = n + 1;
  pack.placed_by = n % 2 == 0 ? PlacedBy::kRecorder : PlacedBy::kChance;
  pack.window_blocks_per_disk = n % 3 == 0 ? 5 : 2;
  const double rate = kind == Kind::kThrottled ? between(25e6, 80e6) : between(80e6, 250e6);
  for (std::size_t i = 0; i < disks; ++i) {
    pack.disks.emplace_back();
    pack.disks[i].throttled = kind == Kind::kThrottled;
    pack.disks[i].bytes_per_s = rate * between(1 - jitter, 1 + jitter);
    pack.disks[i].ahead_bytes = 2e6 * static_cast<double>(n / 2 % 3);
  }
  return pack;
}

double sum_of_rates(const SimulatedPack& pack) {
  double sum = 0;
  for (const auto& disk : pack.disks) sum += disk.bytes_per_s;
  return sum;
}

struct Tally {
  int disks = 0, slow = 0, suspect = 0, unknown = 0;
  void add(const DiskVerdict& verdict) {
    ++disks;
    slow += verdict.judgement == Judgement::kSlow ? 1 : 0;
    suspect += verdict.judgement == Judgement::kSuspect ? 1 : 0;
    unknown += verdict.judgement == Judgement::kUnknown ? 1 : 0;
  }
  [[nodiscard]] double slow_share() const { return double(slow) / disks; }
  [[nodiscard]] double named_share() const { return double(slow + suspect) / disks; }
};

/// Healthy packs that differ by 20 %, judged since the start and over the second half.
Tally healthy(Kind kind, std::uint64_t packs, double sink_share, double seconds) {
  constexpr std::size_t kDisks[] = {8, 16, 24, 32};
  Tally tally;
  for (std::uint64_t n = 0; n < packs; ++n) {
    SimulatedPack pack = pack_of(kind, n, kDisks[n / 4 % 4], 0.2);
    if (sink_share > 0) pack.sink_bytes_per_s = sink_share * sum_of_rates(pack);
    Simulation simulation(pack);
    const SimulatedLook half = simulation.look(seconds / 2);
    const SimulatedLook whole = simulation.look(seconds);
    const Judged judged = judge(whole);
    for (const auto& verdict : judged.disks) tally.add(verdict);
    for (const auto& verdict : judge_between(half, whole).disks) tally.add(verdict);
    for (std::size_t i = 0; i < judged.disks.size(); ++i) {
      if (judged.disks[i].judgement < Judgement::kSuspect) continue;
      UNSCOPED_INFO("pack " << n << " disk " << i << ": " << judged.disks[i].reason);
    }
    // Whatever limits it, no disk does.
    if (judged.stream.limit == StreamLimit::kDisk) FAIL("pack " << n << judged.stream.reason);
  }
  return tally;
}

/// 16 disks, of which those at `slow` have 1/factor of their rate: how many are named?
Tally with_slow(Kind kind, std::uint64_t packs, double factor, double jitter,
                const std::vector<std::size_t>& slow, double sink_share = 0) {
  Tally tally;
  for (std::uint64_t n = 0; n < packs; ++n) {
    SimulatedPack pack = pack_of(kind, n, 16, jitter);
    for (const std::size_t i : slow) pack.disks[i].bytes_per_s /= factor;
    if (sink_share > 0) pack.sink_bytes_per_s = sink_share * sum_of_rates(pack);
    const Judged judged = judge(Simulation(pack).look(10));
    for (const std::size_t i : slow) tally.add(judged.disks[i]);
    for (std::size_t i = 0; i < 16; ++i) {
      const bool named = judged.disks[i].judgement >= Judgement::kSuspect;
      if (named && std::find(slow.begin(), slow.end(), i) == slow.end()) {
        FAIL("pack " << n << ": disk " << i << " is healthy: " << judged.disks[i].reason);
      }
    }
  }
  CAPTURE(tally.disks, tally.slow, tally.suspect, tally.unknown);
  return tally;
}

}  // namespace

TEST_CASE("verdict: no false alarm in thousands of healthy packs", "[unit][pure][verdict]") {
  for (const Kind kind : {Kind::kThrottled, Kind::kRotating}) {
    const Tally tally = healthy(kind, kSanitized ? 50 : 1000, 0, kind == Kind::kThrottled ? 6 : 3);
    CAPTURE(int(kind), tally.disks, tally.suspect);
    CHECK(tally.slow == 0);
    CHECK(tally.named_share() < 0.001);
    const Tally brief = healthy(kind, kSanitized ? 20 : 200, 0, 2);  // and over seconds only
    CAPTURE(brief.disks, brief.suspect);
    CHECK(brief.slow == 0);
    CHECK(brief.named_share() < 0.001);
  }
}

TEST_CASE("verdict: a slow sink makes no slow disk", "[unit][pure][verdict]") {
  for (const Kind kind : {Kind::kThrottled, Kind::kRotating}) {
    for (const double share : {0.1, 0.5, 0.9}) {
      const Tally tally =
          healthy(kind, kSanitized ? 15 : 150, share, kind == Kind::kThrottled ? 6 : 3);
      CAPTURE(int(kind), share, tally.disks, tally.suspect);
      CHECK(tally.slow == 0);
      CHECK(tally.named_share() < 0.001);
    }
  }
  SimulatedPack pack = pack_of(Kind::kThrottled, 0, 16, 0.2);
  pack.sink_bytes_per_s = sum_of_rates(pack) / 2;
  CHECK(judge(Simulation(pack).look(10)).stream.limit == StreamLimit::kSink);
}

TEST_CASE("verdict: one disk of 16 at 1/2, 1/4, 1/8 of the rate is slow within 10 s",
          "[unit][pure][verdict]") {
  for (const Kind kind : {Kind::kThrottled, Kind::kRotating}) {
    for (const double factor : {2.0, 4.0, 8.0}) {
      CAPTURE(int(kind), factor);
      const Tally alike = with_slow(kind, 40, factor, 0.02, {3});
      CAPTURE(alike.slow, alike.suspect, alike.unknown);
      CHECK(alike.named_share() >= (factor > 2 ? 1.0 : 0.95));
      CHECK(alike.slow_share() >= (factor > 2 ? 1.0 : 0.8));
      // Half of 120 % against a median of 100 % is 1.67 times slower: not all of those stand out.
      const Tally apart = with_slow(kind, 40, factor, 0.2, {3});
      CAPTURE(apart.slow, apart.suspect, apart.unknown);
      CHECK(apart.named_share() >= (factor > 2 ? 1.0 : 0.7));
    }
  }
}

TEST_CASE("verdict: a slow disk limits the stream, and the stream says so",
          "[unit][pure][verdict]") {
  SimulatedPack pack = pack_of(Kind::kThrottled, 0, 16, 0.02);
  pack.disks[11].bytes_per_s /= 4;
  const Judged judged = judge(Simulation(pack).look(10));
  CHECK(judged.stream.limit == StreamLimit::kDisk);
  CHECK(judged.stream.disks == std::vector<std::size_t>{11});
  CHECK_THAT(judged.stream.reason, Catch::StartsWith("limited by disk 2/3 (slow): waiting"));
  CHECK(judged.disks[11].confidence > 0.9);
}

TEST_CASE("verdict: two slow disks on two modules are both named", "[unit][pure][verdict]") {
  for (const Kind kind : {Kind::kThrottled, Kind::kRotating}) {
    const Tally tally = with_slow(kind, 40, 4, 0.2, {3, 12});
    CAPTURE(int(kind), tally.slow, tally.suspect, tally.unknown);
    CHECK(tally.slow_share() >= 0.97);
  }
}

TEST_CASE("verdict: a slow disk shows behind a slow sink too, if it is busy",
          "[unit][pure][verdict]") {
  const Tally tally = with_slow(Kind::kThrottled, 20, 4, 0.1, {5}, 0.22);
  CHECK(tally.slow_share() >= 0.9);
}

TEST_CASE("verdict: a disk that pauses half a second every five is suspect",
          "[unit][pure][verdict]") {
  for (const Kind kind : {Kind::kThrottled, Kind::kRotating}) {
    SimulatedPack pack = pack_of(kind, 2, 16, 0.1);
    pack.disks[9].pause_every_s = 4;
    pack.disks[9].pause_s = 1.0;
    const Judged judged = judge(Simulation(pack).look(20));
    CAPTURE(int(kind), judged.disks[9].reason);
    CHECK(judged.disks[9].judgement >= Judgement::kSuspect);
    CHECK_THAT(judged.disks[9].reason, Catch::Contains("reads took over"));
  }
}
