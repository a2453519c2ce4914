// SPDX-License-Identifier: MIT
// When a frame was: reference epochs, frame numbers, and times as text. Reference values are from
// astropy 5.2.1 (Time(...).mjd, .yday), or plain calendar arithmetic.
#include <catch2/catch.hpp>

#include "common/vdif/time.hpp"

namespace {

namespace vdif = mark6::vdif;
using vdif::Time;

vdif::Header at(std::uint32_t epoch, std::uint32_t seconds, std::uint32_t frame = 0) {
  vdif::Header header;
  header.epoch = epoch;
  header.seconds = seconds;
  header.frame_in_second = frame;
  return header;
}

constexpr std::int64_t kYear2000 = 946684800;
constexpr std::int64_t kYear2015 = 1420070400;
constexpr std::int64_t kYear2032 = 1956528000;
constexpr std::int64_t kYear2040 = 2208988800;
constexpr std::int64_t k20150321 = 1426920000;  // 06:40:00

}  // namespace

TEST_CASE("vdif time: seconds count from the half-year of the epoch", "[unit][pure]") {
  CHECK(vdif::unix_seconds(at(0, 0), kYear2015) == kYear2000);
  CHECK(vdif::unix_seconds(at(1, 0), kYear2015) == 962409600);  // 2000-07-01
  CHECK(vdif::unix_seconds(at(30, 0), kYear2015) == kYear2015);
  // 2015-03-21 06:40:00, as a recording of that day has it.
  CHECK(vdif::unix_seconds(at(30, 6849600), kYear2015) == k20150321);
}

TEST_CASE("vdif time: the epoch rolls over in 2032, and the hint tells which half",
          "[unit][pure]") {
  CHECK(vdif::unix_seconds(at(0, 0), kYear2032) == kYear2032);
  CHECK(vdif::unix_seconds(at(16, 0), kYear2040) == kYear2040);
  CHECK(vdif::unix_seconds(at(63, 0), kYear2032) == 1940630400);  // 2031-07-01
  CHECK(vdif::unix_seconds(at(63, 0), kYear2032 + 86400) == 1940630400);
  CHECK(vdif::unix_seconds(at(0, 86400), kYear2032 - 86400) == kYear2032 + 86400);
}

TEST_CASE("vdif time: no hint is too odd", "[unit][pure]") {
  CHECK(vdif::unix_seconds(at(30, 0), 0) == kYear2015);
  CHECK(vdif::unix_seconds(at(30, 0), INT64_MIN) == kYear2015);
  CHECK(vdif::unix_seconds(at(30, 0), INT64_MAX) > kYear2040);
}

TEST_CASE("vdif time: a frame starts at its number over the rate, to the nanosecond",
          "[unit][pure]") {
  const auto frame = [](std::uint32_t number, std::uint64_t rate) {
    return vdif::frame_time(at(30, 6849600, number), rate, kYear2015);
  };
  CHECK(frame(0, 25000) == Time{k20150321, 0});
  CHECK(frame(1, 25000) == Time{k20150321, 40'000});
  CHECK(frame(24999, 25000) == Time{k20150321, 999'960'000});
  CHECK(frame(1, 3) == Time{k20150321, 333'333'333});
  CHECK(frame(2, 3) == Time{k20150321, 666'666'667});
  CHECK(frame(125000, 125001) == Time{k20150321, 999'992'000});
  CHECK(frame(0xffffff, 0x1000000) == Time{k20150321, 999'999'940});
  CHECK(frame(7, 0) == Time{k20150321, 0});                   // rate not known
  CHECK(frame(25001, 25000) == Time{k20150321 + 1, 40'000});  // beyond the rate
}

TEST_CASE("vdif time: differences keep their sign", "[unit][pure]") {
  CHECK(vdif::seconds_between({10, 250'000'000}, {12, 0}) == Approx(1.75));
  CHECK(vdif::seconds_between({12, 0}, {10, 250'000'000}) == Approx(-1.75));
}

TEST_CASE("vdif time: MJD has 8 decimals, as vex2difx reads it", "[unit][pure]") {
  CHECK(vdif::mjd_day(0) == 40587);
  CHECK(vdif::mjd_day(-1) == 40586);
  CHECK(vdif::unix_of_mjd(57102) == 1426896000);
  CHECK(vdif::mjd_text({k20150321, 0}) == "57102.27777778");
  CHECK(vdif::mjd_text({1426896000, 0}) == "57102.00000000");
  CHECK(vdif::mjd_text({1426896000, 864'000'000}) == "57102.00001000");
  CHECK(vdif::mjd_text({1426896000 + 86399, 999'999'999}) == "57103.00000000");  // rounded up
}

TEST_CASE("vdif time: VLBI text has a fraction only where there is one", "[unit][pure]") {
  CHECK(vdif::vlbi_text({k20150321, 0}) == "2015y080d06h40m00s");
  CHECK(vdif::vlbi_text({k20150321, 40'000}) == "2015y080d06h40m00.000040000s");
  CHECK(vdif::vlbi_text({1483228799, 0}) == "2016y366d23h59m59s");
}
