// SPDX-License-Identifier: MIT
// The recorded pairs are made by tests/support/record_iostat.sh.
#include "common/account/kernel_activity.hpp"

#include <catch2/catch.hpp>
#include <cmath>
#include <fstream>
#include <iterator>
#include <sstream>

using mark6::Comparison;
using mark6::DiskCounters;
using mark6::DiskStats;
using mark6::iostat_columns;
using mark6::kernel_activity;
using mark6::KernelActivity;

namespace {

std::string text_of(const std::string& name) {
  std::ifstream file(std::string(MARK6_SOURCE_DIR "/tests/data/diskstats/") + name);
  REQUIRE(file.good());
  return {std::istreambuf_iterator<char>(file), {}};
}

DiskStats stats_of(const std::string& name) {
  DiskStats stats;
  stats.disks = mark6::parse_diskstats(text_of(name));
  return stats;
}

double interval_of(const std::string& pair) {
  std::istringstream text(text_of(pair + ".uptime"));
  double before = 0;
  double after = 0;
  REQUIRE((text >> before >> after));
  return after - before;
}

/// Compares one printed line with our columns; the device's name.
std::string check_line(const std::string& line, const DiskStats& before, const DiskStats& after,
                       double seconds) {
  std::istringstream fields(line);
  std::string name;
  fields >> name;
  INFO("device " << name);
  const DiskCounters* now = after.find(name);
  REQUIRE(now != nullptr);
  const KernelActivity activity = kernel_activity(before.find(name), *now, seconds);
  CHECK(activity.comparison != Comparison::kNone);
  for (const auto& column : iostat_columns()) {
    double printed = -1;
    REQUIRE((fields >> printed));
    INFO("column " << column.name << ": iostat " << printed << ", we " << column.value(activity));
    // iostat prints two decimals; a tie may be rounded either way.
    CHECK(std::abs(column.value(activity) - printed) <= 0.005 + 1e-6);
  }
  return name;
}

DiskCounters busy_disk() {
  DiskCounters disk;
  disk.reads = {1000, 10, 80000, 5000};
  disk.writes = {500, 5, 4000, 2500};
  disk.busy_ms = 6000;
  disk.queue_ms = 7500;
  return disk;
}

}  // namespace

TEST_CASE("disk activity: every column is what sysstat's iostat printed", "[unit][account][pure]") {
  const auto& [pair, devices] = GENERATE(
      table<std::string, int>({{"fields", 5}, {"wraps", 2}, {"replaced", 3}, {"load", 18}}));
  INFO("pair " << pair);
  const DiskStats before = stats_of(pair + ".before");
  const DiskStats after = stats_of(pair + ".after");
  const double seconds = interval_of(pair);
  std::istringstream report(text_of(pair + ".iostat"));
  std::string line;
  std::getline(report, line);
  std::istringstream header(line);
  std::string word;
  header >> word;
  for (const auto& column : iostat_columns()) {
    REQUIRE((header >> word));
    CHECK(word == column.name);
  }
  CHECK_FALSE(header >> word);
  int compared = 0;
  for (; std::getline(report, line); ++compared) check_line(line, before, after, seconds);
  CHECK(compared >= devices);
}

TEST_CASE("disk activity: a replaced device is counted from zero, and that is said",
          "[unit][account][pure]") {
  const DiskStats before = stats_of("replaced.before");
  const DiskStats after = stats_of("replaced.after");
  const auto of = [&](std::string_view name) {
    return kernel_activity(before.find(name), *after.find(name), 10).comparison;
  };
  CHECK(of("sda") == Comparison::kAppeared);
  CHECK(of("sdb") == Comparison::kAppeared);  // it had never been written to
  CHECK(of("sdc") == Comparison::kFine);
}

TEST_CASE("disk activity: a device that was not there is counted from zero",
          "[unit][account][pure]") {
  const KernelActivity activity = kernel_activity(nullptr, busy_disk(), 10);
  CHECK(activity.comparison == Comparison::kAppeared);
  CHECK(activity.reads.per_s == Approx(100));
  CHECK(activity.busy_percent == Approx(60));
}

TEST_CASE("disk activity: counters of 32 bits wrap", "[unit][account][pure]") {
  DiskCounters before = busy_disk();
  before.reads.sectors = 4294967000;
  before.reads.time_ms = 4294967295;
  DiskCounters after = busy_disk();
  after.reads.requests += 10;
  after.reads.sectors = 24;
  after.reads.time_ms = 39;
  const KernelActivity activity = kernel_activity(&before, after, 1);
  CHECK(activity.comparison == Comparison::kFine);
  CHECK(activity.reads.kb_per_s == Approx(160));
  CHECK(activity.reads.await_ms == Approx(4));
}

TEST_CASE("disk activity: a counter that steps back is not compared", "[unit][account][pure]") {
  const DiskCounters before = busy_disk();
  DiskCounters after = busy_disk();
  after.reads.requests += 500;
  after.reads.sectors += 100000;
  const auto field = GENERATE(0, 1, 2, 3, 4);
  if (field == 0) after.reads.time_ms -= 1;
  if (field == 1) after.busy_ms -= 1;
  if (field == 2) after.queue_ms = 0;
  if (field == 3) after.writes.requests -= 1;
  if (field == 4) after.reads.requests -= 501;
  const KernelActivity activity = kernel_activity(&before, after, 1);
  CHECK(activity.comparison == Comparison::kNone);
  for (const auto& column : iostat_columns()) CHECK(column.value(activity) == 0);
}

TEST_CASE("disk activity: nothing is divided by no time and no requests", "[unit][account][pure]") {
  const DiskCounters disk = busy_disk();
  CHECK(kernel_activity(&disk, disk, 0).comparison == Comparison::kNone);
  CHECK(kernel_activity(&disk, disk, -1).comparison == Comparison::kNone);
  CHECK(kernel_activity(&disk, disk, NAN).comparison == Comparison::kNone);
  const KernelActivity idle = kernel_activity(&disk, disk, 1);
  CHECK(idle.comparison == Comparison::kFine);
  for (const auto& column : iostat_columns()) CHECK(column.value(idle) == 0);
}
