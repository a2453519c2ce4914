// SPDX-License-Identifier: MIT
#include "common/base/units.hpp"

#include <catch2/catch.hpp>

using mark6::format_bytes;
using mark6::parse_bytes;

TEST_CASE("units: sizes are decimal unless they say Ki, Mi, Gi", "[unit][pure]") {
  CHECK(parse_bytes("4096").value() == 4096);
  CHECK(parse_bytes("64M").value() == 64'000'000);
  CHECK(parse_bytes("64MB").value() == 64'000'000);
  CHECK(parse_bytes("64MiB").value() == 67'108'864);
  CHECK(parse_bytes("1.5G").value() == 1'500'000'000);
  CHECK(parse_bytes("9007199254740993").value() == 9007199254740993ULL);
}

TEST_CASE("units: what is not a size is refused", "[unit][pure]") {
  for (const char* text : {"", "x", "-1", "1X", "1Mx", "1MiBx", "nan", "1e400", "99999999P"}) {
    CAPTURE(text);
    CHECK_FALSE(parse_bytes(text).has_value());
  }
}

TEST_CASE("units: bytes are shown with three digits", "[unit][pure]") {
  CHECK(format_bytes(0) == "0 B");
  CHECK(format_bytes(999) == "999 B");
  CHECK(format_bytes(1234) == "1.23 kB");
  CHECK(format_bytes(999'999) == "1.00 MB");
  CHECK(format_bytes(303'000'000'000ULL) == "303 GB");
}
