// SPDX-License-Identifier: MIT
#include "common/account/disk_stats.hpp"

#include <catch2/catch.hpp>

#include "tests/support/temporary.hpp"

using mark6::DeviceNumber;
using mark6::DiskStats;
using mark6::DiskStatsReader;
using mark6::parse_diskstats;

TEST_CASE("disk stats: lines of 14, 18 and 20 fields are understood", "[unit][account][pure]") {
  const auto disks = parse_diskstats(
      "   8       0 sda 1 2 3 4 5 6 7 8 9 10 11\n"
      "   8      16 sdb 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15\n"
      " 259       3 nvme0n1 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17\n");
  REQUIRE(disks.size() == 3);
  for (const auto& disk : disks) {
    CHECK(disk.reads.requests == 1);
    CHECK(disk.reads.merged == 2);
    CHECK(disk.reads.sectors == 3);
    CHECK(disk.reads.time_ms == 4);
    CHECK(disk.writes.requests == 5);
    CHECK(disk.writes.time_ms == 8);
    CHECK(disk.in_flight == 9);
    CHECK(disk.busy_ms == 10);
    CHECK(disk.queue_ms == 11);
  }
  CHECK(disks[0].fields == 14);
  CHECK(disks[0].discards.requests == 0);
  CHECK(disks[1].fields == 18);
  CHECK(disks[1].discards.time_ms == 15);
  CHECK(disks[1].flushes == 0);
  CHECK(disks[2].fields == 20);
  CHECK(disks[2].name == "nvme0n1");
  CHECK(disks[2].number == DeviceNumber{259, 3});
  CHECK(disks[2].flushes == 16);
  CHECK(disks[2].flush_ms == 17);
}

TEST_CASE("disk stats: fields of kernels to come are not looked at", "[unit][account][pure]") {
  const auto disks = parse_diskstats(
      "8 0 sda 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 new\n"
      "8 1 sda1 1 2 3 4 5 6 7 8 9 10 11 12 13\n");
  REQUIRE(disks.size() == 2);
  CHECK(disks[0].flush_ms == 17);
  CHECK(disks[1].fields == 14);  // 16 fields: two that nobody has defined
  CHECK(disks[1].discards.requests == 0);
}

TEST_CASE("disk stats: malformed lines are left out and nothing else", "[unit][account][pure]") {
  const auto disks = parse_diskstats(
      "\n"
      "   8       1 sda1 1 2 3 4\n"                   // before Linux 2.6.25
      "   8       2 sda2 1 2 3 4 5 6 7 8 9 10\n"      // one field is missing
      "   8       3 sda3 1 2 3 4 5 6 7 8 9 10 x\n"    // no number
      "   8       4 sda4 1 2 3 -4 5 6 7 8 9 10 11\n"  // only in flight may be negative
      "   8       5 sda5 1 2 18446744073709551616 4 5 6 7 8 9 10 11\n"  // 2^64
      "99999999999 6 sda6 1 2 3 4 5 6 7 8 9 10 11\n"
      "   8       7 sda7 1 2 3 4 5 6 7 8 -1 10 11\n"
      "   8       8 sda8 18446744073709551615 2 3 4 5 6 7 8 9 10 11\r\n"
      "   8       9 sda9 1 2 3 4 5 6 7 8 9 10 11");  // cut off: the last number may go on
  REQUIRE(disks.size() == 2);
  CHECK(disks[0].name == "sda7");
  CHECK(disks[0].in_flight == 0);
  CHECK(disks[1].name == "sda8");
  CHECK(disks[1].reads.requests == UINT64_MAX);
}

TEST_CASE("disk stats: the reader finds devices by number and name", "[unit][account][pure]") {
  const mark6::test::TemporaryDirectory directory;
  const DiskStatsReader reader(directory.write("diskstats",
                                               "7 0 loop0 1 0 0 0 0 0 0 0 0 0 0\n"
                                               "8 16 sdb 2 0 0 0 0 0 0 0 0 0 0\n"));
  const auto stats = reader.read();
  REQUIRE(stats.has_value());
  CHECK(stats->taken_ns > 0);
  REQUIRE(stats->find(DeviceNumber{8, 16}) != nullptr);
  CHECK(stats->find(DeviceNumber{8, 16})->reads.requests == 2);
  REQUIRE(stats->find("loop0") != nullptr);
  CHECK(stats->find("loop0")->reads.requests == 1);
  CHECK(stats->find(DeviceNumber{8, 0}) == nullptr);
  CHECK(stats->find("sd") == nullptr);
}

TEST_CASE("disk stats: the reader reads no more than its bound", "[unit][account][pure]") {
  const mark6::test::TemporaryDirectory directory;
  const std::string line = "8 16 sdb 2 0 0 0 0 0 0 0 0 0 0\n";
  std::string text;
  while (text.size() < (std::size_t{5} << 20U)) text += line;
  const auto stats = DiskStatsReader(directory.write("diskstats", text)).read();
  REQUIRE(stats.has_value());
  CHECK(stats->disks.size() == (std::size_t{4} << 20U) / line.size());

  const auto endless =
      DiskStatsReader(directory.write("endless", std::string(std::size_t{5} << 20U, '8'))).read();
  REQUIRE(endless.has_value());
  CHECK(endless->disks.empty());
}

TEST_CASE("disk stats: a missing file is an error that says what to do", "[unit][account][pure]") {
  const auto stats = DiskStatsReader("/nowhere/diskstats").read();
  REQUIRE_FALSE(stats.has_value());
  CHECK(mark6::describe(stats.error()).find("mount /proc") != std::string::npos);
}

TEST_CASE("disk stats: the kernel's own file is understood", "[unit][account][pure]") {
  const auto stats = DiskStatsReader().read();
  if (!stats || stats->disks.empty()) {
    WARN("skipped: /proc/diskstats shows no device here");
    return;
  }
  for (const auto& disk : stats->disks) {
    CHECK_FALSE(disk.name.empty());
    CHECK(stats->find(disk.number) == &disk);
  }
}
