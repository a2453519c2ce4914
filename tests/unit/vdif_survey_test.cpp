// SPDX-License-Identifier: MIT
// What a few frames tell of a recording: times, threads, frame rate, whichever frames lie.
#include <catch2/catch.hpp>
#include <vector>

#include "common/vdif/survey.hpp"
#include "tests/support/recording.hpp"

namespace {

namespace vdif = mark6::vdif;
using mark6::test::append_le32;
using vdif::FrameSample;

constexpr std::int64_t kStart = 1'426'926'903;
constexpr std::uint32_t kFrameBytes = 5032;

FrameSample sample(std::uint64_t packet, std::int64_t second, std::uint32_t frame,
                   std::uint16_t thread = 0) {
  FrameSample one;
  one.packet = packet;
  one.kind = vdif::FrameKind::kVdif;
  one.header.frame_in_second = frame;
  one.header.frame_bytes = kFrameBytes;
  one.header.bits_per_sample = 2;
  one.header.thread = thread;
  one.header.station = 0x4161;
  one.unix_s = kStart + second;
  return one;
}

/// `count` frames of `threads` threads at `rate` frames per second, from packet `first` on.
std::vector<FrameSample> run(std::uint64_t first, std::uint64_t count, std::uint32_t rate,
                             std::uint16_t threads = 1) {
  std::vector<FrameSample> samples;
  for (std::uint64_t packet = first; packet < first + count; ++packet) {
    const std::uint64_t frame = packet / threads;
    samples.push_back(sample(packet, static_cast<std::int64_t>(frame / rate),
                             static_cast<std::uint32_t>(frame % rate),
                             static_cast<std::uint16_t>(packet % threads)));
  }
  return samples;
}

/// Header words of a Mark5B frame of MJD 56821, 05:30:01.
mark6::test::ByteVector mark5b_header(std::uint32_t frame, std::uint32_t fraction_bcd) {
  mark6::test::ByteVector bytes;
  append_le32(bytes, 0xabaddeed);
  append_le32(bytes, 0xbead0000U | frame);
  append_le32(bytes, 0x82119801);
  append_le32(bytes, fraction_bcd << 16U);
  return bytes;
}

}  // namespace

TEST_CASE("survey: a second's border tells rate, start and stop", "[unit][pure]") {
  vdif::SurveyInput input;
  input.head = run(10, 64, 1600);
  input.border = run(1580, 40, 1600);
  input.tail = run(3000, 64, 1600);
  const vdif::Content content = vdif::survey(input);
  CHECK(content.frames_per_second == 1600);
  CHECK(content.rate_from == vdif::RateFrom::kBorder);
  CHECK(content.start == vdif::Time{kStart, 6'250'000});
  CHECK(content.stop == vdif::Time{kStart + 1, 915'000'000});
  CHECK(content.duration_s().value() == Approx(1.90875));
  CHECK(content.data_rate_bps() == 64'000'000);
  CHECK(content.samples_per_second() == 32'000'000);
}

TEST_CASE("survey: packets are counted over the seconds when all are there", "[unit][pure]") {
  vdif::SurveyInput input;
  input.head = run(0, 64, 25'000, 4);
  input.tail = run(std::uint64_t{25'000} * 4 * 100 + 400, 64, 25'000, 4);
  CHECK(vdif::survey(input).frames_per_second == 0);
  input.is_whole = true;
  const vdif::Content content = vdif::survey(input);
  CHECK(content.frames_per_second == 25'000);
  CHECK(content.rate_from == vdif::RateFrom::kCount);
  CHECK(content.threads == std::vector<std::uint16_t>{0, 1, 2, 3});
}

TEST_CASE("survey: without a rate times are whole seconds, the last one included", "[unit][pure]") {
  vdif::SurveyInput input;
  input.head = input.tail = run(5, 3, 1600);
  const vdif::Content content = vdif::survey(input);
  CHECK(content.start == vdif::Time{kStart, 0});
  CHECK(content.stop == vdif::Time{kStart + 1, 0});
  CHECK(content.data_rate_bps() == 0);
}

TEST_CASE("survey: threads whose seconds are wrong are told and do not count", "[unit][pure]") {
  vdif::SurveyInput input;
  for (std::uint16_t packet = 0; packet < 16; ++packet) {
    const bool is_odd = packet % 4 == 3;
    input.head.push_back(sample(packet, is_odd ? -14'000'000 : 0, packet / 4, packet % 4));
  }
  input.tail = input.head;
  const vdif::Content content = vdif::survey(input);
  CHECK(content.start->unix_s == kStart);
  CHECK(content.stop->unix_s == kStart + 1);
  CHECK(content.odd_time_threads == std::vector<std::uint16_t>{3});
}

TEST_CASE("survey: invalid, fill and foreign packets are no samples", "[unit][pure]") {
  using mark6::test::vdif_frame;
  CHECK(vdif::sample_of(vdif_frame(0, {}), 0, 1032, kStart).has_value());
  CHECK(!vdif::sample_of(vdif_frame(0, {.invalid = true}), 0, 1032, kStart));
  CHECK(!vdif::sample_of(vdif_frame(0, {.invalid = true, .length_excess = 32}), 0, 1032, kStart));
  CHECK(!vdif::sample_of(vdif_frame(0, {.length_excess = 8}), 0, 1032, kStart));
  CHECK(!vdif::sample_of(mark6::test::ByteVector(64), 0, 1032, kStart));
  mark6::test::ByteVector pattern;
  for (int i = 0; i < 8; ++i) append_le32(pattern, 0x11223344);
  CHECK(!vdif::sample_of(pattern, 0, 1032, kStart));
}

TEST_CASE("survey: fractions of the second tell the rate of Mark5B", "[unit][pure]") {
  constexpr std::int64_t kJune2014 = 1'402'637'401;  // astropy: Time(56821 + 19801/86400) .unix
  vdif::SurveyInput input;
  const std::uint32_t fractions[] = {0x0000, 0x0001, 0x0003, 0x0004};  // of 6400 frames per second
  for (std::uint32_t frame = 0; frame < 4; ++frame) {
    const auto header = mark5b_header(frame, fractions[frame]);
    const auto one = vdif::sample_of(header, frame, 10'016, kJune2014 + 86'400);
    REQUIRE(one.has_value());
    input.head.push_back(*one);
  }
  input.tail = input.head;
  const vdif::Content content = vdif::survey(input);
  CHECK(content.kind == vdif::FrameKind::kMark5b);
  CHECK(content.frames_per_second == 6400);
  CHECK(content.rate_from == vdif::RateFrom::kTimeCode);
  CHECK(content.data_rate_bps() == 512'000'000);
  CHECK(content.start == vdif::Time{kJune2014, 0});
  CHECK(content.stop == vdif::Time{kJune2014, 625'000});
  CHECK(content.threads.empty());
}

TEST_CASE("survey: nothing is known of no frames", "[unit][pure]") {
  const vdif::Content content = vdif::survey({});
  CHECK(content.kind == vdif::FrameKind::kUnknown);
  CHECK(!content.start.has_value());
}
