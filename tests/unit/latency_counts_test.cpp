// SPDX-License-Identifier: MIT
#include "common/account/latency_counts.hpp"

#include <catch2/catch.hpp>

using mark6::Histogram;
using mark6::LatencyCounts;

TEST_CASE("latency counts: an interval holds what came between two looks",
          "[unit][pure][verdict]") {
  Histogram histogram;
  for (int i = 0; i < 100; ++i) histogram.add(500'000'000);
  const LatencyCounts before(histogram);
  for (int i = 1; i <= 1000; ++i) histogram.add(i * 10'000);
  const LatencyCounts interval = LatencyCounts(histogram).since(before);
  CHECK(interval.count() == 1000);
  CHECK(interval.quantile_ns(0.5) == Approx(5e6).epsilon(0.02));
  CHECK(interval.quantile_ns(0.9) == Approx(9e6).epsilon(0.02));
  CHECK(interval.max_ns() >= 10'000'000);
  CHECK(interval.max_ns() <= 10'000'000 * 17 / 16);
  CHECK(LatencyCounts(histogram).max_ns() == 500'000'000);
}

TEST_CASE("latency counts: how many took longer, to the width of a step", "[unit][pure][verdict]") {
  Histogram histogram;
  for (int i = 0; i < 10; ++i) histogram.add(1'000'000);
  for (int i = 0; i < 3; ++i) histogram.add(400'000'000);
  const LatencyCounts counts(histogram);
  CHECK(counts.count_above(0) == 13);
  CHECK(counts.count_above(1'100'000) == 3);
  CHECK(counts.count_above(300'000'000) == 3);
  CHECK(counts.count_above(400'000'000) == 0);
}

TEST_CASE("latency counts: empty ones do no harm", "[unit][pure][verdict]") {
  const LatencyCounts none;
  CHECK(none.count() == 0);
  CHECK(none.quantile_ns(0.9) == 0.0);
  CHECK(none.count_above(0) == 0);
  CHECK(none.since(none).max_ns() == 0);
}
