// SPDX-License-Identifier: MIT
#include "common/account/histogram.hpp"

#include <catch2/catch.hpp>

using mark6::Histogram;

TEST_CASE("histogram: every value lies in a step at most 1/16 wide", "[unit]") {
  for (const std::int64_t ns : {0LL, 1LL, 15LL, 16LL, 17LL, 1000LL, 999'999LL, 1'000'000'000LL}) {
    CAPTURE(ns);
    Histogram histogram;
    histogram.add(ns);
    histogram.add(ns * 1000 + 1);  // so that the quantile is not cut to the largest value
    const std::int64_t edge = histogram.quantile_ns(0.5);
    CHECK(edge >= ns);
    CHECK(edge <= ns + ns / 16);
  }
}

TEST_CASE("histogram: quantiles of a uniform load", "[unit]") {
  Histogram histogram;
  for (std::int64_t us = 1; us <= 1000; ++us) histogram.add(us * 1000);
  CHECK(histogram.count() == 1000);
  CHECK(histogram.max_ns() == 1'000'000);
  CHECK(histogram.sum_ns() == 500'500'000);
  CHECK(static_cast<double>(histogram.quantile_ns(0.5)) == Approx(500e3).epsilon(0.07));
  CHECK(static_cast<double>(histogram.quantile_ns(0.99)) == Approx(990e3).epsilon(0.07));
  CHECK(histogram.quantile_ns(1.0) == 1'000'000);
}

TEST_CASE("histogram: empty, negative and absurd values do no harm", "[unit]") {
  Histogram histogram;
  CHECK(histogram.quantile_ns(0.5) == 0);
  histogram.add(-5);
  histogram.add(INT64_MAX / 2);
  CHECK(histogram.count() == 2);
  CHECK(histogram.quantile_ns(0.0) == 0);
}
