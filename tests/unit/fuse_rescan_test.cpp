// SPDX-License-Identifier: MIT
#include <atomic>
#include <catch2/catch.hpp>
#include <chrono>
#include <functional>
#include <future>
#include <string>
#include <thread>

#include "fuse/rescan.hpp"

using mark6::Rescan;
using std::chrono::milliseconds;

namespace {

constexpr std::int64_t kSpacingNs = 50'000'000;

/// Polls for ten seconds at most.
bool soon(const std::function<bool()>& condition) {
  for (int i = 0; i < 10'000; ++i) {
    if (condition()) return true;
    std::this_thread::sleep_for(milliseconds(1));
  }
  return false;
}

}  // namespace

TEST_CASE("rescan: a wish that comes during a look is served by another one", "[unit]") {
  std::atomic<int> begun{0};
  std::promise<void> go_on;
  const auto may_go_on = go_on.get_future().share();
  Rescan rescan([&](const auto& /*answer*/) {
    ++begun;
    may_go_on.wait();
  });
  rescan.want_now();
  REQUIRE(soon([&] { return begun == 1; }));
  rescan.want_now();  // this look may have passed what the wish is about
  rescan.want_now();
  go_on.set_value();
  CHECK(soon([&] { return begun == 2; }));
  std::this_thread::sleep_for(milliseconds(20));
  CHECK(begun == 2);  // two wishes, one look
}

TEST_CASE("rescan: who waits goes on when the tree is up to date, not at the end", "[unit]") {
  std::promise<void> end;
  const auto may_end = end.get_future().share();
  std::atomic<bool> answered{false};
  Rescan rescan(
      [&](const auto& answer) {
        answer();
        may_end.wait();
      },
      kSpacingNs);
  rescan.want([&] { answered = true; });
  CHECK(soon([&] { return answered.load(); }));
  end.set_value();
}

TEST_CASE("rescan: looks for names keep their distance, those for signals do not", "[unit]") {
  std::atomic<int> looks{0};
  Rescan rescan([&](const auto& /*answer*/) { ++looks; }, 3'600'000'000'000);
  CHECK_FALSE(rescan.is_due("a"));  // the mount has just looked
  rescan.want();
  std::this_thread::sleep_for(milliseconds(20));
  CHECK(looks == 0);
  rescan.want_now();
  CHECK(soon([&] { return looks == 1; }));
}

TEST_CASE("rescan: a name that is asked for in vain causes ever fewer looks", "[unit]") {
  Rescan rescan([](const auto& /*answer*/) {}, kSpacingNs);
  std::this_thread::sleep_for(milliseconds(60));
  CHECK_FALSE(rescan.is_due(".Trash"));
  CHECK(rescan.is_due("a"));
  CHECK_FALSE(rescan.is_due("a"));
  CHECK(rescan.is_due("b"));
  CHECK(soon([&] { return rescan.is_due("a"); }));
  const auto since = std::chrono::steady_clock::now();
  std::this_thread::sleep_for(milliseconds(60));  // it must wait for twice as long now
  const bool due = rescan.is_due("a");
  if (std::chrono::steady_clock::now() - since < milliseconds(100)) CHECK_FALSE(due);
  rescan.found({"a"});
  CHECK(rescan.is_due("a"));
}

TEST_CASE("rescan: who still waits at the end is called", "[unit]") {
  std::atomic<int> called{0};
  {
    Rescan rescan([](const auto& /*answer*/) {}, 3'600'000'000'000);
    rescan.want([&] { ++called; });
    rescan.stop();
    rescan.want([&] { ++called; });
  }
  CHECK(called == 2);
}
