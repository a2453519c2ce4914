// SPDX-License-Identifier: MIT
// Which frames of a thread are missing, stand twice, come late, and where time jumps.
#include <catch2/catch.hpp>
#include <initializer_list>

#include "common/vdif/frame_order.hpp"

namespace {

using mark6::vdif::FrameOrder;
using mark6::vdif::OrderCounts;

constexpr std::uint32_t kRate = 500;

void add_run(FrameOrder& order, std::int64_t first, std::int64_t count) {
  for (std::int64_t number = first; number < first + count; ++number) order.add(number);
}

/// Everything but what is named is 0.
void check(const FrameOrder& order, const OrderCounts& wanted) {
  const OrderCounts& counts = order.counts();
  CHECK(counts.missing == wanted.missing);
  CHECK(counts.in_lost_blocks == wanted.in_lost_blocks);
  CHECK(counts.duplicates == wanted.duplicates);
  CHECK(counts.out_of_order == wanted.out_of_order);
  CHECK(counts.wrong_times == wanted.wrong_times);
  CHECK(counts.jumps == wanted.jumps);
  CHECK(counts.first_jump_frames == wanted.first_jump_frames);
}

}  // namespace

TEST_CASE("frame order: a thread that counts on has nothing to tell", "[unit][pure]") {
  FrameOrder order(kRate);
  add_run(order, -70, 5000);
  order.end();
  check(order, {});
  CHECK(order.first() == -70);
  CHECK(order.next() == 4930);
}

TEST_CASE("frame order: gaps are missing frames, long ones too", "[unit][pure]") {
  FrameOrder order(kRate);
  add_run(order, 0, 100);
  add_run(order, 101, 100);
  add_run(order, 211, 100);
  add_run(order, 2500, 100);  // 4.4 s later
  order.end();
  check(order, {.missing = 1 + 10 + 2189});
}

TEST_CASE("frame order: a frame that comes late is not missing, once more it stands twice",
          "[unit][pure]") {
  FrameOrder order(kRate);
  add_run(order, 0, 100);
  for (const int number : {102, 101, 103, 100, 104, 104, 101}) order.add(number);
  check(order, {.duplicates = 2, .out_of_order = 2});
}

TEST_CASE("frame order: whole seconds are a jump of time, forwards and back", "[unit][pure]") {
  FrameOrder order(kRate);
  add_run(order, 0, 700);
  add_run(order, 700 + 3 * kRate, 700);
  check(order, {.jumps = 1, .first_jump_frames = 3 * kRate});
  FrameOrder back(kRate);
  add_run(back, 0, 700);
  add_run(back, 700 - kRate, 700);
  check(back, {.jumps = 1, .first_jump_frames = -std::int64_t{kRate}});
  FrameOrder far(kRate);
  add_run(far, 0, 700);
  add_run(far, 123'456'789, 700);
  check(far, {.jumps = 1, .first_jump_frames = 123'456'789 - 700});
}

TEST_CASE("frame order: one frame with another time is that and no jump", "[unit][pure]") {
  FrameOrder order(kRate);
  add_run(order, 0, 100);
  order.add(987'654'321);
  add_run(order, 101, 100);
  order.add(-5'000'000);
  order.end();
  check(order, {.missing = 1, .wrong_times = 2});
}

TEST_CASE("frame order: what lay in missing blocks is told apart", "[unit][pure]") {
  FrameOrder order(kRate);
  add_run(order, 0, 100);
  order.lose_blocks();
  add_run(order, 100 + 20 * kRate, 100);
  order.add(20 * kRate + 203);
  check(order, {.missing = 3, .in_lost_blocks = 20 * kRate});
  FrameOrder untouched(kRate);
  add_run(untouched, 0, 100);
  untouched.lose_blocks();
  add_run(untouched, 100, 10);
  untouched.add(112);
  check(untouched, {.missing = 2});
}

TEST_CASE("frame order: between stretches nothing is counted", "[unit][pure]") {
  FrameOrder order(kRate);
  add_run(order, 0, 100);
  order.start_anew();
  CHECK(order.next() == 100);
  add_run(order, 90'000, 100);
  check(order, {});
  CHECK(order.first() == 0);
  CHECK(order.next() == 90'100);
}

TEST_CASE("frame order: without a rate a new second is no gap", "[unit][pure]") {
  FrameOrder order(0);
  add_run(order, 10, 90);
  add_run(order, FrameOrder::kUnknownRate, 90);
  order.end();
  check(order, {});
}
