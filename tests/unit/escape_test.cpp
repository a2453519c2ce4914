// SPDX-License-Identifier: MIT
#include "common/base/escape.hpp"

#include <catch2/catch.hpp>

using mark6::escaped;
using mark6::valid_utf8;

TEST_CASE("escape: control characters and broken UTF-8 never reach the terminal", "[unit][pure]") {
  CHECK(escaped("plain_name.vdif") == "plain_name.vdif");
  CHECK(escaped("a\nb\x1b[31m") == "a\\x0ab\\x1b[31m");
  CHECK(escaped("\xff\xfe") == "\\xff\\xfe");
  CHECK(escaped("\xc2\x9b"
                "2J") == "\\xc2\\x9b2J");      // C1 control sequence introducer
  CHECK(escaped("\xc0\xaf") == "\\xc0\\xaf");  // overlong form
  CHECK(escaped("\xc3\xa4\\") == "\xc3\xa4\\\\");
}

TEST_CASE("escape: JSON text is always valid UTF-8", "[unit][pure]") {
  CHECK(valid_utf8("a\xff"
                   "b") ==
        "a\xEF\xBF\xBD"
        "b");
  CHECK(valid_utf8("\xed\xa0\x80") == "\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD");  // surrogate
}
