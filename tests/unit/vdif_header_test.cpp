// SPDX-License-Identifier: MIT
// VDIF frame headers by the public specification.
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

TEST_CASE("vdif header: a fill packet is told by all its marks", "[unit][pure]") {
  const auto fill = vdif::parse(words({1U << 31U, 0, 133, 0, 0, 0, 0, 0}));
  CHECK(fill->is_fill(1032));
  CHECK_FALSE(fill->is_fill(1064));  // of that size it would merely be invalid
  CHECK_FALSE(vdif::parse(words({(1U << 31U) | 7U, 0, 133, 0, 0, 0, 0, 0}))->is_fill(1032));
  CHECK_FALSE(vdif::parse(words({1U << 31U, 0, 129, 0, 0, 0, 0, 0}))->is_fill(1032));
}

TEST_CASE("vdif header: a station is two letters, the high byte first, or a number",
          "[unit][pure]") {
  CHECK(vdif::station_text(0x6d77) == "mw");  // as recorded at MWA
  CHECK(vdif::station_text(0x4151) == "AQ");  // as recorded at ARO
  CHECK(vdif::station_text(0x4100) == "A");
  CHECK(vdif::station_text(0x4120) == "16672");
  CHECK(vdif::station_text(0xfffc) == "65532");
  CHECK(vdif::station_text(0) == "0");
  CHECK(vdif::station_text(0x0041) == "65");
}

TEST_CASE("vdif header: extended data versions have names", "[unit][pure]") {
  CHECK(vdif::edv_name(0) == "none");
  CHECK(vdif::edv_name(1) == "NICT");
  CHECK(vdif::edv_name(2) == "ALMA");
  CHECK(vdif::edv_name(3) == "NRAO");
  CHECK(vdif::edv_name(4) == "multiplexed");
  CHECK(vdif::edv_name(0xab) == "Mark5B");
  CHECK(vdif::edv_name(5) == "unknown");
}

TEST_CASE("vdif header: the sample rate field is believed where its sync word stands",
          "[unit][pure]") {
  const auto with = [](std::uint32_t w4, std::uint32_t w5) {
    return *vdif::parse(words({0, 0, 629, 1U << 26U, w4, w5, 0, 0}));
  };
  CHECK(vdif::sample_rate_field(with(0x03800010U, 0xacabfeedU)) == 16'000'000);  // EVN, 16 MHz
  CHECK(vdif::sample_rate_field(with(0x01000064U, 0xacabfeedU)) == 100'000);     // 100 kHz
  CHECK_FALSE(vdif::sample_rate_field(with(0x03800010U, 0)));
  CHECK_FALSE(vdif::sample_rate_field(with(0x03800000U, 0xacabfeedU)));
  CHECK_FALSE(vdif::sample_rate_field(with(0x02800010U, 0xacabfeedU)));  // ALMA has none
  // 5000 bytes of 2-bit samples: 20000 samples in a frame; 32 or 16 million come in a second.
  CHECK(vdif::frame_rate_candidates(with(0x03800010U, 0xacabfeedU)) ==
        std::vector<std::uint32_t>{1600, 800});
  CHECK(vdif::frame_rate_candidates(with(0x03000001U, 0xacabfeedU)).empty());  // no whole number
}
