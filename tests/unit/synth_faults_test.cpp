// SPDX-License-Identifier: MIT
// Faults of the frames: what was planted is what stands in the stream, and nothing else.
#include "tools/synth_faults.hpp"

#include <catch2/catch.hpp>
#include <map>

#include "common/vdif/header.hpp"
#include "tools/synth_frames.hpp"

using namespace mark6;
using namespace mark6::synth;

namespace {

constexpr std::uint64_t kFrames = 800;
constexpr std::size_t kWords = 1032 / 8;

struct Stream {
  std::vector<std::uint64_t> words;
  FaultPlan plan;

  [[nodiscard]] vdif::Header header(std::uint64_t position) const {
    return *vdif::parse(std::as_bytes(std::span(words).subspan(position * kWords, kWords)));
  }
  /// Frames since the first, as the header of `position` tells the time.
  [[nodiscard]] std::uint64_t slot(std::uint64_t position) const {
    const auto here = header(position);
    return std::uint64_t{here.seconds - header(0).seconds} * 10 + here.frame_in_second;
  }
};

Stream stream_of(const std::vector<std::string>& faults, std::uint32_t threads,
                 std::uint64_t seed = 1) {
  SynthOptions options;
  options.packet_bytes = 1032;
  options.threads = threads;
  options.frame_rate = 10;
  options.seed = seed;
  std::vector<FaultRequest> requests;
  for (const std::string& text : faults) requests.push_back(parse_fault(text).value());
  const auto plan = FaultPlan::make(requests, kFrames, threads, seed);
  REQUIRE(plan);
  Stream stream{std::vector<std::uint64_t>(kFrames * kWords), *plan};
  const auto maker = FrameMaker::make(options, *plan);
  REQUIRE(maker);
  maker->fill(0, stream.words);
  return stream;
}

std::uint64_t planted(const Stream& stream, FaultKind kind) {
  std::uint64_t frames = 0;
  for (const PlantedFault& fault : stream.plan.planted()) {
    if (fault.kind == kind) frames += fault.count;
  }
  return frames;
}

}  // namespace

TEST_CASE("synth: planted faults are in the frames, on 1, 4 and 8 threads", "[unit]") {
  const auto threads = GENERATE(1U, 4U, 8U);
  const Stream stream = stream_of(
      {"drop:7", "duplicate:5", "invalid:6", "fill:4@100", "pattern:3@300", "length:2"}, threads);
  std::map<std::uint64_t, int> seen;
  std::uint64_t invalid = 0, fill = 0, pattern = 0, length = 0;
  for (std::uint64_t position = 0; position < kFrames; ++position) {
    const auto header = stream.header(position);
    const std::uint64_t payload = stream.words[position * kWords + 4];
    if (payload == 0x1122334411223344ULL) {
      CHECK(stream.words[(position + 1) * kWords - 1] == payload);
      const bool all = stream.words[position * kWords] == payload;
      (all ? pattern : fill) += 1;
      if (!all) CHECK((header.invalid && header.frame_bytes == 1032 + 32 && header.seconds == 0));
      continue;
    }
    invalid += header.invalid ? 1 : 0;
    length += header.frame_bytes == 1040 ? 1 : 0;
    ++seen[stream.slot(position) * threads + header.thread];
  }
  CHECK(fill == 4);
  CHECK(pattern == 3);
  CHECK(invalid == 6);
  CHECK(length == 2);
  std::uint64_t gone = 0;
  std::uint64_t twice = 0;
  for (std::uint64_t frame = 0; frame <= seen.rbegin()->first; ++frame) {
    gone += seen.contains(frame) ? 0U : 1U;
    twice += seen.contains(frame) && seen[frame] == 2 ? 1U : 0U;
  }
  CHECK(gone == 7 + 4 + 3);  // dropped ones, and those with another packet in their place
  CHECK(twice == 5);
  CHECK(planted(stream, FaultKind::kDrop) == 7);
  CHECK(stream_of({"drop:7"}, threads).words == stream_of({"drop:7"}, threads).words);
  CHECK(stream_of({"drop:7"}, threads).plan.planted()[0].frame !=
        stream_of({"drop:7"}, threads, 99).plan.planted()[0].frame);
}

TEST_CASE("synth: dropped frames leave a gap where they were asked for", "[unit]") {
  const Stream stream = stream_of({"drop:3@20", "duplicate:1@30"}, 1);
  CHECK(stream.slot(19) == 19);
  CHECK(stream.slot(20) == 23);
  CHECK(stream.slot(27) == 30);
  CHECK(stream.slot(28) == 30);
  CHECK(stream.slot(29) == 31);
  CHECK(stream.plan.planted()[0].position == 20);
  CHECK(stream.plan.planted()[1].position == 27);
}

TEST_CASE("synth: time jumps, threads end and epochs change at a frame", "[unit]") {
  const Stream jump = stream_of({"jump:-1@400"}, 4);
  CHECK(jump.slot(399) == 99);
  CHECK(jump.slot(400) == 90);
  const Stream thread = stream_of({"thread:2@400"}, 4);
  for (std::uint64_t i = 0; i < kFrames; ++i) {
    CHECK((thread.header(i).thread == 2) == (i < 400 && i % 4 == 2));
  }
  CHECK(thread.slot(kFrames - 1) == 100 + 400 / 3);
  const Stream epoch = stream_of({"epoch:29@400"}, 4);
  CHECK(epoch.header(399).epoch == 30);
  CHECK(epoch.header(400).epoch == 29);
  constexpr std::int64_t kStart = 1'426'926'903;
  CHECK(epoch.header(400).seconds == kStart + 10 - epoch_start(29));
}

TEST_CASE("synth: faults that cannot be planted are told", "[unit]") {
  for (const char* text : {"drop", "drop:", "drop:x", "drop:0", "lose:1", "drop:1@", "jump:0",
                           "epoch:64@1", "drop:1@-3", "jump:90000@1", "drop:-1"}) {
    INFO(text);
    CHECK_FALSE(parse_fault(text));
  }
  const auto plan = [](const std::vector<std::string>& faults, std::uint32_t threads) {
    std::vector<FaultRequest> requests;
    for (const std::string& text : faults) requests.push_back(parse_fault(text).value());
    return FaultPlan::make(requests, kFrames, threads, 1).has_value();
  };
  CHECK_FALSE(plan({"drop:2@10", "invalid:1@11"}, 1));
  CHECK_FALSE(plan({"invalid:1@800"}, 1));
  CHECK_FALSE(plan({"thread:0@10"}, 1));
  CHECK_FALSE(plan({"thread:4@10"}, 4));
  CHECK_FALSE(plan({"drop:700"}, 1));
  CHECK(plan({"invalid:1@799"}, 1));
}
