// SPDX-License-Identifier: MIT
#include <atomic>
#include <catch2/catch.hpp>
#include <chrono>
#include <thread>

#include "common/catalog/similar_names.hpp"
#include "common/report/progress.hpp"

using namespace mark6;
using namespace std::chrono_literals;

namespace {

constexpr std::int64_t kMs = 1'000'000;

StreamLabels labels() { return {"scan\x1b[2J.vdif", 4'000'000'000, {"1/0", "2/5", "2/6", "2/7"}}; }

StreamSample sample(std::uint64_t bytes, std::vector<std::int64_t> disk_ms, std::int64_t sink_ms,
                    std::int64_t work_ms) {
  StreamSample result;
  result.bytes = bytes;
  result.time.elapsed_ns = (sink_ms + work_ms) * kMs;
  for (std::int64_t& ms : disk_ms) {
    result.time.elapsed_ns += ms * kMs;
    result.time.disk_ns.push_back(ms * kMs);
  }
  result.time.sink_ns = sink_ms * kMs;
  result.time.work_ns = work_ms * kMs;
  return result;
}

}  // namespace

TEST_CASE("progress: the line tells the last interval and the time left", "[unit][gather]") {
  const auto before = sample(1'000'000'000, {0, 500, 0, 0}, 400, 100);
  const auto now = sample(2'000'000'000, {90, 910, 0, 0}, 430, 570);
  // One second and 1 GB since `before`, half of the scan in two seconds.
  CHECK(progress_line(labels(), before, now, 1000) ==
        "scan\\x1b[2J.vdif  2.00 GB of 4.00 GB  50 %  1000.0 MB/s (8.00 Gbit/s)  2.00 s left  "
        "waiting for 2/5 41 %, for the sink 3 %");
}

TEST_CASE("progress: the line fits into the terminal", "[unit][gather]") {
  const auto now = sample(2'000'000'000, {90, 910, 0, 0}, 430, 570);
  for (const std::size_t columns : {1U, 20U, 79U, 100U}) {
    CHECK(progress_line(labels(), {}, now, columns).size() <= columns);
  }
  CHECK(progress_line(labels(), {}, now, 100).starts_with("2.00 GB of 4.00 GB"));
}

TEST_CASE("progress: a stream that has not begun or has no bytes", "[unit][gather]") {
  CHECK(progress_line({"s", 0, {}}, {}, {}, 1000) ==
        "s  0 B of 0 B  0 %  - MB/s  waiting for the sink 0 %");
}

TEST_CASE("progress: the account names the slowest disks and adds up", "[unit][gather]") {
  const auto end = sample(1, {400, 2500, 100, 100}, 1000, 210);
  CHECK(time_account(end.time, labels().disks, 2) ==
        "disks 3.10 s (72 %): 2/5 2.50 s, 1/0 0.40 s, 2 others 0.20 s; sink 1.00 s (23 %); own "
        "work 0.21 s (5 %)");
  CHECK(time_account(sample(1, {0, 0, 0, 0}, 0, 0).time, labels().disks, 2) ==
        "disks 0.00 s (0 %); sink 0.00 s (0 %); own work 0.00 s (0 %)");
}

TEST_CASE("progress: long lists of blocks are abridged", "[unit][gather]") {
  const std::vector<sg::BlockRange> ranges = {{BlockNumber(17), BlockNumber(17)},
                                              {BlockNumber(33), BlockNumber(40)},
                                              {BlockNumber(99), BlockNumber(101)}};
  CHECK(ranges_text(ranges, 3) == "17, 33-40, 99-101");
  CHECK(ranges_text(ranges, 1) == "17 and 2 more ranges");
  CHECK(ranges_text({}, 3).empty());
}

TEST_CASE("progress: the ticker ticks, and is gone at once when not needed", "[unit][gather]") {
  std::atomic<int> ticks{0};
  {
    const Ticker ticker(1ms, [&] { ++ticks; });
    while (ticks < 3) std::this_thread::sleep_for(1ms);
  }
  const auto before = std::chrono::steady_clock::now();
  {
    const Ticker ticker(1h, [] {});
  }
  CHECK(std::chrono::steady_clock::now() - before < 10s);
}

TEST_CASE("gather similar: what may have been meant", "[unit][gather]") {
  const std::vector<std::string> names = {"e18e22_Aa_No0006.vdif", "e18e22_Aa_No0016.vdif",
                                          "BB407A_LA_No0001", "other.vdif"};
  CHECK(similar_names("e18e22_aa_no0006", names).front() == "e18e22_Aa_No0006.vdif");
  CHECK(similar_names("No0006", names) == std::vector<std::string>{"e18e22_Aa_No0006.vdif"});
  CHECK(similar_names("/some/dir/BB407A_LA_No0002", names).front() == "BB407A_LA_No0001");
  CHECK(similar_names("xyzzy", names).empty());
  CHECK(similar_names("", names).empty());
}
