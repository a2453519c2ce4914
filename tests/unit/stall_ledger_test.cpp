// SPDX-License-Identifier: MIT
#include "common/account/stall_ledger.hpp"

#include <catch2/catch.hpp>
#include <numeric>

using mark6::DiskIndex;
using mark6::StallLedger;

TEST_CASE("stall ledger: every instant is charged to exactly one cause", "[unit]") {
  StallLedger ledger(3, 1000);
  ledger.waiting_for_disk(DiskIndex(2), 1010);
  ledger.working(1110);
  ledger.waiting_for_sink(1115);
  ledger.waiting_for_disk(DiskIndex(0), 1215);
  const auto s = ledger.snapshot(1300);
  CHECK(s.elapsed_ns == 300);
  CHECK(s.disk_ns == std::vector<std::int64_t>{85, 0, 100});
  CHECK(s.sink_ns == 100);
  CHECK(s.work_ns == 15);
}

TEST_CASE("stall ledger: stamps out of order still add up", "[unit]") {
  StallLedger ledger(1, 0);
  ledger.waiting_for_disk(DiskIndex(0), 50);
  ledger.working(40);
  ledger.waiting_for_sink(60);
  const auto s = ledger.snapshot(55);
  const auto disks = std::accumulate(s.disk_ns.begin(), s.disk_ns.end(), std::int64_t{0});
  CHECK(disks + s.sink_ns + s.work_ns == s.elapsed_ns);
}
