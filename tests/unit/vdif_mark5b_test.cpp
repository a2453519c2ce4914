// SPDX-License-Identifier: MIT
// Mark5B frame headers, bare and inside VDIF, and what their three-digit day stands for.
#include <catch2/catch.hpp>

#include "common/vdif/mark5b.hpp"
#include "tests/support/recording.hpp"

namespace {

using mark6::test::append_le32;
using mark6::test::ByteVector;
namespace vdif = mark6::vdif;

ByteVector words(std::initializer_list<std::uint32_t> values) {
  ByteVector bytes;
  for (const std::uint32_t value : values) append_le32(bytes, value);
  return bytes;
}

// 2015-03-21 is MJD 57102: day 102, second 30903 = 08:35:03.
constexpr std::int64_t kStart = 1426926903;
constexpr std::int64_t kDay = 86'400;

ByteVector header_of(std::uint32_t w1, std::uint32_t w2, std::uint32_t w3) {
  return words({0xabaddeedU, w1, w2, w3});
}

}  // namespace

TEST_CASE("mark5b: a frame is known by its sync word", "[unit][pure]") {
  CHECK(vdif::is_mark5b(words({0xabaddeedU})));
  CHECK_FALSE(vdif::is_mark5b(words({0xabaddeecU})));
  CHECK_FALSE(vdif::is_mark5b({}));
}

TEST_CASE("mark5b: fields are taken from their words", "[unit][pure]") {
  const auto header = vdif::parse_mark5b(header_of(0xbead8003U, 0x10230903U, 0x0004abcdU));
  REQUIRE(header.has_value());
  CHECK(header->frame_in_second == 3);
  CHECK(header->test_vector);
  CHECK(header->user == 0xbead);
  CHECK(header->day == 102);
  CHECK(header->second_of_day == 30903);
  CHECK(header->fraction_100us == 4);
}

TEST_CASE("mark5b: what is no time is no header", "[unit][pure]") {
  CHECK_FALSE(vdif::parse_mark5b(header_of(0, 0x1023090aU, 0)));  // a digit
  CHECK_FALSE(vdif::parse_mark5b(header_of(0, 0xa0230903U, 0)));
  CHECK_FALSE(vdif::parse_mark5b(header_of(0, 0x10286400U, 0)));  // second of the day
  CHECK(vdif::parse_mark5b(header_of(0, 0x10286399U, 0)));
  CHECK_FALSE(vdif::parse_mark5b(words({0xabaddeedU, 0, 0x10230903U})));
  CHECK_FALSE(vdif::parse_mark5b(words({0, 0, 0x10230903U, 0})));
}

TEST_CASE("mark5b: the day is resolved by the date of the file", "[unit][pure]") {
  const auto header = *vdif::parse_mark5b(header_of(0, 0x10230903U, 0));
  CHECK(vdif::unix_seconds(header, kStart) == kStart);
  CHECK(vdif::unix_seconds(header, kStart + 998 * kDay) == kStart);
  CHECK(vdif::unix_seconds(header, kStart - kDay) == kStart);
  CHECK(vdif::unix_seconds(header, kStart - 2 * kDay) == kStart - 1000 * kDay);
  CHECK(vdif::unix_seconds(header, kStart + 1500 * kDay) == kStart + 1000 * kDay);
}

TEST_CASE("mark5b: the frame number tells more than the fraction, where the rate is known",
          "[unit][pure]") {
  const auto header = *vdif::parse_mark5b(header_of(3, 0x10230903U, 0x00040000U));
  CHECK(vdif::frame_time(header, 6400, kStart) == vdif::Time{kStart, 468'750});
  CHECK(vdif::frame_time(header, 0, kStart) == vdif::Time{kStart, 400'000});
}

TEST_CASE("mark5b: VDIF frames of extended data version 0xab carry the header", "[unit][pure]") {
  const auto frame =
      vdif::parse(words({1, 0, 1254, 1U << 26U, 0xabaddeedU, 3, 0x10230903U, 0x00040000U}));
  REQUIRE(frame.has_value());
  CHECK(frame->edv == vdif::kEdvMark5b);
  const auto header = vdif::mark5b_of(*frame);
  REQUIRE(header.has_value());
  CHECK(header->frame_in_second == 3);
  CHECK(header->day == 102);
  CHECK_FALSE(vdif::mark5b_of(*vdif::parse(words({1, 0, 1254, 0, 0, 0, 0, 0}))));
}
