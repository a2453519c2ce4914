// SPDX-License-Identifier: MIT
// What `mark6 synth` decides before it writes: lengths, places, times and payload.
#include "tools/synth_plan.hpp"

#include <algorithm>
#include <catch2/catch.hpp>
#include <cstring>
#include <numeric>
#include <set>

#include "common/vdif/header.hpp"
#include "common/vdif/time.hpp"
#include "tools/synth_frames.hpp"
#include "tools/synth_placement.hpp"

using namespace mark6;
using namespace mark6::synth;

namespace {

/// 1 x 4 disks, ten packets of 1032 bytes in a block.
SynthOptions small_options() {
  SynthOptions options;
  options.disks = 4;
  options.packet_bytes = 1032;
  options.block_bytes = 10 * 1032 + 8;
  options.length = LengthBlocks{20};
  return options;
}

SynthPlan plan_of(const SynthOptions& options) {
  const auto plan = make_plan(options);
  REQUIRE(plan);
  return *plan;
}

std::string refusal(const SynthOptions& options) {
  const auto plan = make_plan(options);
  REQUIRE_FALSE(plan);
  CHECK(plan.error().code == ErrorCode::kUsage);
  return plan.error().path;
}

std::vector<std::uint64_t> shares(Placement placement, const std::vector<double>& slowness,
                                  int blocks) {
  std::vector<std::uint64_t> count(slowness.size());
  Placer placer(placement, slowness, 7);
  for (int i = 0; i < blocks; ++i) ++count[placer.next(10'000'000)];
  return count;
}

}  // namespace

TEST_CASE("synth: a block is rounded down to whole packets, as recorders do", "[unit]") {
  const auto [packet, block_size] = GENERATE(table<std::uint32_t, std::int32_t>(
      {{8032, 9'999'848}, {8224, 9'992'168}, {1032, 9'999'056}, {10032, 9'991'880}}));
  SynthOptions options;
  options.packet_bytes = packet;
  CHECK(plan_of(options).header.block_size == block_size);
}

TEST_CASE("synth: the length of a scan may be told in bytes, blocks or frames", "[unit]") {
  SynthOptions options = small_options();
  options.length = LengthBytes{25 * 1032 + 1031};
  CHECK(plan_of(options).flat_bytes == 25 * 1032);
  CHECK(plan_of(options).blocks.size() == 3);
  options.length = LengthFrames{31};
  CHECK(plan_of(options).flat_bytes == 31 * 1032);
  options.length = LengthBlocks{3};
  CHECK(plan_of(options).flat_bytes == 30 * 1032);
}

TEST_CASE("synth: short blocks shift the frames behind them, missing ones do not", "[unit]") {
  SynthOptions options = small_options();
  options.short_blocks = {2};
  options.missing_blocks = {0, 5, 6, 19};
  options.short_last = true;
  const SynthPlan plan = plan_of(options);
  CHECK(plan.blocks[2].frames == 5);
  CHECK(plan.blocks[3].first_frame == 25);
  CHECK(plan.blocks[7].first_frame == 65);
  CHECK(plan.blocks[19].frames == 5);
  CHECK(plan.blocks_present() == 16);
  CHECK(plan.first_and_last() == std::pair<std::uint64_t, std::uint64_t>(1, 18));
  CHECK(plan.missing_ranges() == std::vector<std::pair<std::uint64_t, std::uint64_t>>{{5, 6}});
  CHECK(plan.flat_bytes == (16 * 10 - 5) * 1032);
}

TEST_CASE("synth: the blocks of a missing disk are those it would have got", "[unit]") {
  SynthOptions options = small_options();
  const SynthPlan whole = plan_of(options);
  options.missing_disks = {{1, 2}};
  const SynthPlan holed = plan_of(options);
  for (std::size_t i = 0; i < whole.blocks.size(); ++i) {
    CHECK(holed.blocks[i].missing == (whole.blocks[i].disk == 2));
  }
  CHECK(holed.disks[2].blocks == 0);
}

TEST_CASE("synth: what the format cannot express is refused by the option's name", "[unit]") {
  SynthOptions options = small_options();
  SECTION("a block smaller than a packet") {
    options.block_bytes = 1039;
    CHECK(refusal(options) == "--block-size");
  }
  SECTION("a block of 2 GiB") {
    options.block_bytes = std::uint64_t{1} << 32;
    CHECK(refusal(options) == "--block-size");
  }
  SECTION("a short block in the middle of version 1") {
    options.sg_version = 1;
    options.short_blocks = {3};
    CHECK(refusal(options) == "--short-block");
    options.short_blocks = {19};
    CHECK(plan_of(options).blocks.back().frames == 5);
  }
  SECTION("a disk that is not there") {
    options.missing_disks = {{2, 0}};
    CHECK(refusal(options) == "--missing-disk");
    options.missing_disks = {};
    options.slow = {{{1, 4}, 2}};
    CHECK(refusal(options) == "--slow");
  }
  SECTION("a block that is not there") {
    options.missing_blocks = {20};
    CHECK(refusal(options) == "--missing-block");
  }
  SECTION("nothing left") {
    options.disks = 1;
    options.missing_disks = {{1, 0}};
    CHECK_FALSE(make_plan(options));
    options.length = LengthBytes{1031};
    CHECK(refusal(options) == "length");
  }
}

TEST_CASE("synth: recorders give a slow disk fewer blocks and its peers equal ones", "[unit]") {
  const auto even = shares(Placement::kRecorder, std::vector<double>(16, 1.0), 3200);
  CHECK(*std::min_element(even.begin(), even.end()) >= 195);
  CHECK(*std::max_element(even.begin(), even.end()) <= 205);

  std::vector<double> slowness(16, 1.0);
  slowness[5] = 3;
  const auto uneven = shares(Placement::kRecorder, slowness, 3200);
  CHECK(uneven[5] < 120);
  CHECK(uneven[4] > 195);
}

TEST_CASE("synth: recorders place blocks nearly, not quite, round robin", "[unit]") {
  Placer placer(Placement::kRecorder, std::vector<double>(8, 1.0), 1);
  std::vector<std::size_t> order(800);
  for (auto& disk : order) disk = placer.next(10'000'000);
  int repeats = 0;  // rounds of eight in which some disk gets no block
  for (std::size_t i = 0; i < order.size(); i += 8) {
    const std::set<std::size_t> round(order.begin() + static_cast<std::ptrdiff_t>(i),
                                      order.begin() + static_cast<std::ptrdiff_t>(i + 8));
    repeats += round.size() < 8 ? 1 : 0;
  }
  CHECK(repeats > 0);
  CHECK(order[8] + order[9] + order[10] != 0 + 1 + 2);
}

TEST_CASE("synth: the other placements are what their names say", "[unit]") {
  CHECK(shares(Placement::kRoundRobin, {1, 1, 1}, 9) == std::vector<std::uint64_t>{3, 3, 3});
  const auto random = shares(Placement::kRandom, {1, 1, 1, 1}, 4000);
  CHECK(*std::min_element(random.begin(), random.end()) > 850);
  const auto slow = shares(Placement::kRandom, {1, 4}, 5000);
  CHECK(slow[0] > 3 * slow[1]);
  const auto unbalanced = shares(Placement::kUnbalanced, {1, 1, 1, 1}, 4000);
  CHECK(unbalanced[0] > 3 * unbalanced[3]);
}

TEST_CASE("synth: the time of the frames runs on, thread by thread", "[unit]") {
  SynthOptions options = small_options();
  options.threads = 3;
  options.frame_rate = 10;
  options.channels = 8;
  options.bits = 4;
  options.station = "Aa";
  const auto frames = FrameMaker::make(options);
  REQUIRE(frames);
  std::array<std::byte, vdif::kHeaderBytes> bytes{};
  for (const std::uint64_t frame : {0ULL, 1ULL, 29ULL, 30ULL, 1'000'000ULL}) {
    frames->store_header(frame, bytes);
    const auto header = vdif::parse(bytes);
    REQUIRE(header);
    CHECK(header->thread == frame % 3);
    CHECK(header->frame_in_second == frame / 3 % 10);
    CHECK(vdif::unix_seconds(*header, options.start_unix_s) ==
          options.start_unix_s + static_cast<std::int64_t>(frame / 30));
    CHECK(header->frame_bytes == 1032);
    CHECK(header->log2_channels == 3);
    CHECK(header->bits_per_sample == 4);
    CHECK(header->station == ('A' << 8 | 'a'));
    CHECK(header->epoch == 30);
    CHECK_FALSE(header->invalid);
    CHECK_FALSE(header->legacy);
  }
}

TEST_CASE("synth: reference epochs are half-years, counted modulo 64", "[unit]") {
  CHECK(epoch_of(946'684'800).number == 0);
  CHECK(epoch_start(28) == 1'388'534'400);      // 2014-01-01
  CHECK(epoch_of(1'404'172'799).number == 28);  // 2014-06-30T23:59:59
  CHECK(epoch_of(1'404'172'800).number == 29);  // 2014-07-01
  SynthOptions options = small_options();
  options.start_unix_s = *parse_start("2033-05-01T00:00:00Z");
  std::array<std::byte, vdif::kHeaderBytes> bytes{};
  FrameMaker::make(options)->store_header(0, bytes);
  CHECK(vdif::parse(bytes)->epoch == 66 - 64);
  options.epoch = 60;
  FrameMaker::make(options)->store_header(0, bytes);
  CHECK(vdif::parse(bytes)->epoch == 60);
  CHECK(vdif::unix_seconds(*vdif::parse(bytes), options.start_unix_s) == options.start_unix_s);
  options.start_unix_s = *parse_start("2000-01-02T00:00:00Z");
  CHECK_FALSE(FrameMaker::make(options));
}

TEST_CASE("synth: any two stretches of payload differ, also within a large frame", "[unit]") {
  SynthOptions options = small_options();
  options.packet_bytes = 8 * 8192 + 32;
  const auto frames = FrameMaker::make(options);
  REQUIRE(frames);
  constexpr std::size_t kFrames = 200;
  std::vector<std::uint64_t> words(kFrames * options.packet_bytes / 8);
  frames->fill(0, words);
  std::set<std::vector<std::uint64_t>> stretches;
  for (std::size_t frame = 0; frame < kFrames; ++frame) {
    const auto payload =
        words.begin() + static_cast<std::ptrdiff_t>(frame * options.packet_bytes / 8 + 4);
    for (std::ptrdiff_t i = 0; i < 8; ++i) {
      stretches.emplace(payload + i * 1024, payload + (i + 1) * 1024);
    }
  }
  CHECK(stretches.size() == kFrames * 8);

  SECTION("and a frame is the same wherever a block begins") {
    std::vector<std::uint64_t> alone(options.packet_bytes / 8);
    frames->fill(17, alone);
    CHECK(std::equal(alone.begin(), alone.end(),
                     words.begin() + static_cast<std::ptrdiff_t>(17 * alone.size())));
  }
}

TEST_CASE("synth: times are read as people and recorders write them", "[unit]") {
  CHECK(parse_start("2015-03-21T08:35:03Z") == 1'426'926'903);
  CHECK(parse_start("2015-03-21 08:35:03") == 1'426'926'903);
  CHECK(parse_start("2015y080d08h35m03s") == 1'426'926'903);
  CHECK_FALSE(parse_start("1999-12-31T23:59:59Z"));
  CHECK_FALSE(parse_start("2015-03-21"));
  CHECK_FALSE(parse_start("2015-03-21T08:35:03Zulu"));
}
