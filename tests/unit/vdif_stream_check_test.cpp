// SPDX-License-Identifier: MIT
// What is wrong with the frames of a stream, however its bytes are portioned.
#include <catch2/catch.hpp>
#include <functional>

#include "common/vdif/state_counts.hpp"
#include "common/vdif/stream_check.hpp"
#include "common/vdif/time.hpp"
#include "tests/support/recording.hpp"

namespace {

namespace vdif = mark6::vdif;
using mark6::Bytes;
using mark6::test::append;
using mark6::test::append_le32;
using mark6::test::ByteVector;
using vdif::StreamReport;

constexpr std::uint32_t kPacket = 160;
constexpr std::uint32_t kRate = 100;
constexpr std::uint32_t kSecond = 79 * 86'400;
constexpr std::uint32_t kEpoch = 30;
constexpr std::uint32_t kThreads = 4;

struct Frame {
  std::uint32_t second = kSecond;
  std::uint32_t frame = 0;
  std::uint32_t thread = 0;
  std::uint32_t station = 0x4161;
  std::uint32_t epoch = kEpoch;
  std::uint32_t bytes = kPacket;
  bool invalid = false;
};

ByteVector bytes_of(const Frame& frame) {
  ByteVector bytes;
  append_le32(bytes, frame.second | (frame.invalid ? 0x80000000U : 0U));
  append_le32(bytes, frame.frame | (frame.epoch << 24U));
  append_le32(bytes, frame.bytes / 8);
  append_le32(bytes, frame.station | (frame.thread << 16U) | (1U << 26U));
  while (bytes.size() < kPacket) append_le32(bytes, bytes.size() < 32 ? 0 : 0xe4e4e4e4U);
  return bytes;
}

ByteVector fill_packet() {
  ByteVector bytes;
  append_le32(bytes, 0x80000000U);
  append_le32(bytes, 0);
  append_le32(bytes, (kPacket + 32) / 8);
  while (bytes.size() < kPacket) append_le32(bytes, bytes.size() < 32 ? 0 : 0x11223344U);
  return bytes;
}

ByteVector pattern_packet() {
  ByteVector bytes;
  while (bytes.size() < kPacket) append_le32(bytes, 0x11223344U);
  return bytes;
}

Frame frame_at(std::uint32_t i) {
  const std::uint32_t frame = i / kThreads;
  return {.second = kSecond + frame / kRate, .frame = frame % kRate, .thread = i % kThreads};
}

vdif::StreamCheckOptions options() {
  vdif::StreamCheckOptions result;
  result.packet_bytes = kPacket;
  result.frames_per_second = kRate;
  result.base_unix_s = vdif::half_year_start(kEpoch) + kSecond;
  result.hint_unix_s = result.base_unix_s + 3600;
  return result;
}

StreamReport check(const ByteVector& stream, std::size_t portion = ~std::size_t{0}) {
  vdif::StreamCheck check(options());
  check.begin_block();
  for (std::size_t at = 0; at < stream.size();) {
    const std::size_t step = std::min(portion, stream.size() - at);
    check.add(Bytes(stream).subspan(at, step));
    at += step;
  }
  return check.finish();
}

using Change = std::function<void(std::uint32_t, Frame&, ByteVector& instead, int& copies)>;

/// 3200 frames of 4 threads, 8 s, each changed by `change`.
ByteVector stream_of(const Change& change) {
  ByteVector stream;
  for (std::uint32_t i = 0; i < 8 * kRate * kThreads; ++i) {
    Frame frame = frame_at(i);
    ByteVector instead;
    int copies = 1;
    change(i, frame, instead, copies);
    for (; copies > 0; --copies) append(stream, instead.empty() ? bytes_of(frame) : instead);
  }
  return stream;
}

ByteVector healthy() {
  return stream_of([](auto, Frame&, ByteVector&, int&) {});
}

}  // namespace

TEST_CASE("stream check: a healthy stream is clean in portions of any size", "[unit][pure]") {
  const ByteVector stream = healthy();
  for (const std::size_t portion :
       {std::size_t{1}, std::size_t{7}, std::size_t{31}, std::size_t{159}, std::size_t{160},
        std::size_t{161}, std::size_t{1000}, stream.size()}) {
    const StreamReport report = check(stream, portion);
    INFO("portions of " << portion);
    CHECK(report.is_clean());
    CHECK(report.packets == 3200);
    CHECK(report.frames == 3200);
    REQUIRE(report.threads.size() == kThreads);
    CHECK(report.threads[3].frames == 800);
  }
}

TEST_CASE("stream check: lost, doubled, invalid and fill packets are counted by thread",
          "[unit][pure]") {
  const ByteVector stream = stream_of([](auto i, Frame& frame, ByteVector& instead, int& copies) {
    if (i == 1000 || i == 1001 || i == 1004) copies = 0;
    if (i == 1101) copies = 2;
    if (i == 1200) frame.invalid = true;
    if (i >= 1300 && i < 1340) instead = fill_packet();
    if (i == 1402) instead = pattern_packet();
    if (i == 1503) frame.bytes += 8;
  });
  for (const std::size_t portion : {std::size_t{37}, stream.size()}) {
    const StreamReport report = check(stream, portion);
    CHECK(report.fill_packets == 40);
    CHECK(report.pattern_packets == 1);
    CHECK(report.invalid == 1);
    CHECK(report.wrong_lengths == 1);
    CHECK(report.not_frames == 0);
    CHECK(report.threads[0].order.missing == 2 + 10);
    CHECK(report.threads[1].order.missing == 1 + 10);
    CHECK(report.threads[2].order.missing == 10 + 1);
    CHECK(report.threads[3].order.missing == 10);
    CHECK(report.threads[1].order.duplicates == 1);
    CHECK(report.threads[0].invalid == 1);
    CHECK(report.threads[3].wrong_lengths == 1);
    CHECK(!report.is_clean());
  }
}

TEST_CASE("stream check: jumps, epochs, stations and threads that end are told", "[unit][pure]") {
  const StreamReport jump = check(stream_of([](auto i, Frame& frame, auto&, auto&) {
    if (i >= 1000) frame.second -= 1;
  }));
  for (const auto& thread : jump.threads) {
    CHECK(thread.order.jumps == 1);
    CHECK(thread.order.first_jump_frames == -std::int64_t{kRate});
    CHECK(thread.order.missing + thread.order.duplicates == 0);
  }
  const StreamReport epoch = check(stream_of([](auto i, Frame& frame, auto&, auto&) {
    if (i < 1000) return;
    frame.epoch = kEpoch - 1;
    frame.second += static_cast<std::uint32_t>(vdif::half_year_start(kEpoch) -
                                               vdif::half_year_start(kEpoch - 1));
  }));
  for (const auto& thread : epoch.threads) {
    CHECK(thread.epoch_changes == 1);
    CHECK(thread.order.jumps == 0);
  }
  const StreamReport station = check(stream_of([](auto i, Frame& frame, auto&, auto&) {
    if (i >= 1000 && i % kThreads == 2) frame.station = 0x4162;
  }));
  REQUIRE(station.threads.size() == kThreads);
  CHECK(station.threads[2].station_changes == 1);
  CHECK(station.threads[2].order.missing == 0);
  const StreamReport ended = check(stream_of([](auto i, Frame&, auto&, int& copies) {
    if (i >= 1600 && i % kThreads == 1) copies = 0;
  }));
  CHECK(ended.threads[1].ends_early == 400);
  CHECK(ended.threads[0].ends_early == 0);
}

TEST_CASE("stream check: two stations that share thread numbers are told apart, and clean",
          "[unit][pure]") {
  const ByteVector stream = stream_of([](auto i, Frame& frame, ByteVector& instead, auto&) {
    instead = bytes_of(frame);
    if (i % kThreads != 3) return;
    frame.station = 7;
    append(instead, bytes_of(frame));
  });
  const StreamReport report = check(stream);
  CHECK(report.threads.size() == kThreads + 1);
  CHECK(report.is_clean());
}

TEST_CASE("stream check: blocks begin with a frame and end with one", "[unit][pure]") {
  const ByteVector stream = healthy();
  vdif::StreamCheck check(options());
  const Bytes bytes(stream);
  check.begin_block();
  check.add(bytes.first(100 * kPacket));
  check.begin_block();
  check.add(bytes.subspan(100 * kPacket, 50 * kPacket + 40));  // ends within a packet
  check.begin_block();
  check.add(bytes.subspan(150 * kPacket + 40, kPacket));  // begins within one
  check.begin_block();
  check.add(bytes.subspan(152 * kPacket, 48 * kPacket));
  const StreamReport report = check.finish();
  CHECK(report.blocks == 4);
  CHECK(report.ragged_blocks == 1);
  CHECK(report.blocks_without_frame == 1);
  CHECK(report.not_frames == 1);
}

TEST_CASE("stream check: frames in missing blocks are not counted as lost", "[unit][pure]") {
  const ByteVector stream = healthy();
  vdif::StreamCheck check(options());
  check.begin_block();
  check.add(Bytes(stream).first(400 * kPacket));
  check.lose_blocks();
  check.begin_block();
  check.add(Bytes(stream).subspan(800 * kPacket));
  const StreamReport report = check.finish();
  CHECK(report.is_clean());
  for (const auto& thread : report.threads) CHECK(thread.order.in_lost_blocks == 100);
}

TEST_CASE("stream check: any bytes are survived, and bounded", "[unit][pure]") {
  const StreamReport report = check(mark6::test::noise(std::size_t{kPacket} * 50'000, 5), 4096);
  CHECK(report.packets == 50'000);
  CHECK(report.threads.size() <= vdif::StreamCheck::kMaxThreads);
  CHECK(!report.is_clean());
}

TEST_CASE("state counts: samples of 1 and 2 bits by value", "[unit][pure]") {
  ByteVector payload;
  for (int i = 0; i < 4; ++i) append_le32(payload, 0xe4e4e4e4U);  // 0, 1, 2, 3 and again
  for (int i = 0; i < 2; ++i) append_le32(payload, 0xffffffffU);
  vdif::StateCounts two;
  vdif::count_states(payload, 2, two);
  CHECK(two.counts == std::array<std::uint64_t, 4>{16, 16, 16, 16 + 32});
  CHECK(two.asymmetry(2) == Approx((64.0 - 32.0) / 96.0));
  vdif::StateCounts one;
  vdif::count_states(payload, 1, one);
  CHECK(one.counts == std::array<std::uint64_t, 4>{64, 64 + 64, 0, 0});
  CHECK(one.asymmetry(1) == Approx(64.0 / 192.0));
  CHECK(vdif::StateCounts{}.asymmetry(2) == 0);
}
