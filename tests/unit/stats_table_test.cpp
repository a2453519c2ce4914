// SPDX-License-Identifier: MIT
#include "common/report/stats_table.hpp"

#include <catch2/catch.hpp>

#include "tests/support/stats_example.hpp"

using namespace mark6;

TEST_CASE("stats table: a line per disk that was read, and why a disk is slow",
          "[unit][stats][pure]") {
  const auto lines = stats_table(test::example_stats());
  REQUIRE(lines.size() == 5);
  CHECK(lines[0].find("verdict (last 10 s)") != std::string::npos);
  CHECK(lines[1].starts_with("2/5    sdr           100"));
  CHECK(lines[1].ends_with("slow (certain), slow while recording"));
  CHECK(lines[1].find(" 25.0 ") != std::string::npos);  // stall: 2.5 s of 10
  CHECK(lines[2] == "1 disk not read yet");
  CHECK(lines[3].starts_with("disk 2/5 (sdr) is slow (certain): a read takes 66 ms"));
  CHECK(lines[4].find("limited by disk 2/5") != std::string::npos);
}

TEST_CASE("stats table: what an operator should know is a line each", "[unit][stats][pure]") {
  StatsSnapshot stats = test::example_stats();
  auto lines = verdict_lines(stats, 3);
  REQUIRE(lines.size() == 2);
  CHECK(lines[0].starts_with("disk 2/5 (sdr) is slow (certain): "));
  CHECK(lines[1].starts_with("disk 2/5 (sdr) was slow while recording: "));
  stats.streams[0].limit = "sink";
  stats.streams[0].limit_reason = "limited by the sink: 93 %";
  CHECK(verdict_lines(stats, 3) == lines);  // a slow disk is told first, and the sink not at all
  CHECK(verdict_lines(stats, 0).front() == "1 more disk is slow or suspect");
  stats.devices[0].verdict = {};
  CHECK(verdict_lines(stats, 3) == std::vector<std::string>{"limited by the sink: 93 %"});
  stats.streams[0].limit = "disks";
  CHECK(verdict_lines(stats, 3).empty());
}

TEST_CASE("stats table: names cannot send control characters to the terminal",
          "[unit][stats][pure]") {
  StatsSnapshot stats = test::example_stats();
  stats.devices[0].disk = "5\x1b[2J";
  stats.streams[0].scan = "x\x1b[2J";
  for (const std::string& line : stats_table(stats)) {
    CHECK(line.find('\x1b') == std::string::npos);
  }
}
