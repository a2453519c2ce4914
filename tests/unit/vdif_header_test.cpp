// SPDX-License-Identifier: MIT
// VDIF frame headers by the public specification, and when the seconds in them were.
#include <catch2/catch.hpp>

#include "common/vdif/header.hpp"
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

vdif::Header at(std::uint32_t epoch, std::uint32_t seconds) {
  vdif::Header header;
  header.epoch = epoch;
  header.seconds = seconds;
  return header;
}

constexpr std::int64_t kYear2000 = 946684800;
constexpr std::int64_t kYear2015 = 1420070400;
constexpr std::int64_t kYear2032 = 1956528000;
constexpr std::int64_t kYear2040 = 2208988800;

}  // namespace

TEST_CASE("vdif header: each field is where the specification puts it", "[unit][pure]") {
  const auto header = vdif::parse(
      words({0x80000000U | 12345678U,           // invalid
             (27U << 24U) | 3999U,              // epoch, frame
             (1U << 29U) | (4U << 24U) | 629U,  // version, channels
             (1U << 31U) | (1U << 26U) | (1023U << 16U) | 0x4141U, 0x03abcdefU, 0, 0, 0}));
  REQUIRE(header.has_value());
  CHECK(header->invalid);
  CHECK_FALSE(header->legacy);
  CHECK(header->seconds == 12345678);
  CHECK(header->epoch == 27);
  CHECK(header->frame_in_second == 3999);
  CHECK(header->version == 1);
  CHECK(header->log2_channels == 4);
  CHECK(header->frame_bytes == 5032);
  CHECK(header->complex);
  CHECK(header->bits_per_sample == 2);
  CHECK(header->thread == 1023);
  CHECK(header->station == 0x4141);
  CHECK(header->edv == 3);
}

TEST_CASE("vdif header: a legacy header has 16 bytes and no extended data", "[unit][pure]") {
  auto bytes = words({0x40000001U, 0, 314, 0, 0x03000000U, 0, 0, 0});
  bytes.resize(16);
  const auto header = vdif::parse(bytes);
  REQUIRE(header.has_value());
  CHECK(header->legacy);
  CHECK(header->seconds == 1);
  CHECK(header->edv == 0);
}

TEST_CASE("vdif header: too few bytes are no header", "[unit][pure]") {
  auto bytes = words({1, 0, 314, 0, 0, 0, 0, 0});
  CHECK(vdif::parse(bytes).has_value());
  bytes.resize(31);
  CHECK_FALSE(vdif::parse(bytes).has_value());
  bytes.resize(15);
  CHECK_FALSE(vdif::parse(bytes).has_value());
  CHECK_FALSE(vdif::plausible({}, 0));
}

TEST_CASE("vdif header: a frame is plausible when its length is the one expected", "[unit][pure]") {
  const auto bytes = words({1, 0, 129, 0, 0, 0, 0, 0});  // 1032 bytes
  CHECK(vdif::plausible(bytes, 1032));
  CHECK(vdif::plausible(bytes, 0));
  CHECK_FALSE(vdif::plausible(bytes, 1064));
  CHECK_FALSE(vdif::plausible(bytes, 1000));
}

TEST_CASE("vdif header: a frame has more than its header", "[unit][pure]") {
  CHECK_FALSE(vdif::plausible(words({1, 0, 0, 0, 0, 0, 0, 0}), 0));
  CHECK_FALSE(vdif::plausible(words({1, 0, 4, 0, 0, 0, 0, 0}), 0));
  CHECK(vdif::plausible(words({1, 0, 5, 0, 0, 0, 0, 0}), 0));
  CHECK(vdif::plausible(words({0x40000001U, 0, 3, 0}), 0));  // legacy
  CHECK_FALSE(vdif::plausible(words({0x40000001U, 0, 2, 0}), 0));
}

TEST_CASE("vdif header: a fill packet says 32 bytes too many and is plausible", "[unit][pure]") {
  CHECK(vdif::plausible(words({1U << 31U, 0, 133, 0, 0, 0, 0, 0}), 1032));
  CHECK_FALSE(vdif::plausible(words({0, 0, 133, 0, 0, 0, 0, 0}), 1032));  // not marked invalid
}

TEST_CASE("vdif header: a Mark5B frame is known by its sync word", "[unit][pure]") {
  CHECK(vdif::is_mark5b(words({0xabaddeedU})));
  CHECK_FALSE(vdif::is_mark5b(words({0xabaddeecU})));
  CHECK_FALSE(vdif::is_mark5b({}));
}

TEST_CASE("vdif header: seconds count from the half-year of the epoch", "[unit][pure]") {
  CHECK(vdif::unix_seconds(at(0, 0), kYear2015) == kYear2000);
  CHECK(vdif::unix_seconds(at(1, 0), kYear2015) == 962409600);  // 2000-07-01
  CHECK(vdif::unix_seconds(at(30, 0), kYear2015) == kYear2015);
  // 2015-03-21 06:40:00, as a recording of that day has it.
  CHECK(vdif::unix_seconds(at(30, 6849600), kYear2015) == 1426920000);
}

TEST_CASE("vdif header: the epoch rolls over in 2032, and the hint tells which half",
          "[unit][pure]") {
  CHECK(vdif::unix_seconds(at(0, 0), kYear2032) == kYear2032);
  CHECK(vdif::unix_seconds(at(16, 0), kYear2040) == kYear2040);
  CHECK(vdif::unix_seconds(at(63, 0), kYear2032) == 1940630400);  // 2031-07-01
  CHECK(vdif::unix_seconds(at(63, 0), kYear2032 + 86400) == 1940630400);
  CHECK(vdif::unix_seconds(at(0, 86400), kYear2032 - 86400) == kYear2032 + 86400);
}

TEST_CASE("vdif header: no hint is too odd", "[unit][pure]") {
  CHECK(vdif::unix_seconds(at(30, 0), 0) == kYear2015);
  CHECK(vdif::unix_seconds(at(30, 0), INT64_MIN) == kYear2015);
  CHECK(vdif::unix_seconds(at(30, 0), INT64_MAX) > kYear2040);
}
