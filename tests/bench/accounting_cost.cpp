// SPDX-License-Identifier: MIT
// What the accounting costs: the calls that the reaper and a stream make for every read of 1 MiB,
// in their order, and once per second of a stream at 3 GB/s what a progress line asks for. Prints
// ns per read, and the part of one core that this is at 3 GB/s.
//
//   accounting_cost [DISKS]      default 16
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdlib>
#include <vector>

#include "common/account/device_counters.hpp"
#include "common/account/stall_ledger.hpp"
#include "common/base/clock.hpp"
#include "common/read/read_engine.hpp"
#include "common/report/stats_collector.hpp"

namespace mark6 {
namespace {

constexpr double kBytesPerSecond = 3e9;
constexpr std::size_t kReadsPerSecond =
    static_cast<std::size_t>(kBytesPerSecond / ReadEngine::kReadBytes);
constexpr std::size_t kSeconds = 100;  ///< of such a stream, in one round

/// The time of `kSeconds` of a stream over `disks` disks.
struct Round {
  std::int64_t reads_ns = 0;
  std::int64_t snapshots_ns = 0;
};

Round round_of(std::size_t disks) {
  std::vector<DeviceCounters> counters(disks);
  StallLedger ledger(disks, monotonic_ns());
  StatsCollector collector("accounting_cost", "", monotonic_ns());
  for (std::size_t i = 0; i < disks; ++i) {
    collector.add_disk(fmt::format("{}", i / 8 + 1), fmt::format("{}", i % 8), counters[i]);
  }
  const auto stream = collector.add_stream("scan", 0, [&ledger] {
    return StreamSample{.bytes = 0, .time = ledger.snapshot(monotonic_ns())};
  });
  Round round;
  for (std::size_t second = 0; second < kSeconds; ++second) {
    const std::int64_t begin = monotonic_ns();
    for (std::size_t read = 0; read < kReadsPerSecond; ++read) {
      const std::size_t disk = read % disks;
      const std::int64_t queued_ns = monotonic_ns();
      const std::int64_t issued_ns = monotonic_ns();
      counters[disk].issued(issued_ns, queued_ns);
      ledger.waiting_for_disk(DiskIndex(static_cast<std::uint32_t>(disk)), monotonic_ns());
      counters[disk].finished(monotonic_ns(), issued_ns, ReadEngine::kReadBytes, false);
      ledger.working(monotonic_ns());
      ledger.waiting_for_sink(monotonic_ns());
    }
    const std::int64_t middle = monotonic_ns();
    collector.tick(middle);
    static_cast<void>(collector.snapshot(middle));
    round.reads_ns += middle - begin;
    round.snapshots_ns += monotonic_ns() - middle;
  }
  return round;
}

int run(std::size_t disks) {
  std::array<Round, 5> rounds;
  for (Round& round : rounds) round = round_of(disks);
  std::sort(rounds.begin(), rounds.end(),
            [](const Round& a, const Round& b) { return a.reads_ns < b.reads_ns; });
  const Round& median = rounds[rounds.size() / 2];
  fmt::print(
      "{} disks, median of {}: {:.0f} ns per read of 1 MiB, {:.0f} us per second for a snapshot "
      "with "
      "verdicts; at 3 GB/s {:.3f} % of a core\n",
      disks, rounds.size(), double(median.reads_ns) / double(kReadsPerSecond * kSeconds),
      double(median.snapshots_ns) / 1e3 / double(kSeconds),
      double(median.reads_ns + median.snapshots_ns) / 1e9 / double(kSeconds) * 100);
  return 0;
}

}  // namespace
}  // namespace mark6

int main(int count, char** words) {
  const long disks = count > 1 ? std::strtol(words[1], nullptr, 10) : 16;
  if (disks < 1 || disks > 1024) {
    fmt::print(stderr, "accounting_cost: {}: expected a number of disks\n", words[1]);
    return 2;
  }
  return mark6::run(static_cast<std::size_t>(disks));
}
