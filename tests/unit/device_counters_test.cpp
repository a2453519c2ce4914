// SPDX-License-Identifier: MIT
#include "common/account/device_counters.hpp"

#include <catch2/catch.hpp>

using mark6::DeviceCounters;

TEST_CASE("device counters: busy time is the union of requests in flight", "[unit]") {
  DeviceCounters counters;
  counters.issued(100, 90);   // waited 10 in our queue
  counters.issued(150, 150);  // two in flight from 150 to 200
  counters.finished(200, 100, 1000, false);
  counters.finished(300, 150, 500, true);
  counters.issued(900, 900);  // idle from 300 to 900
  const auto s = counters.snapshot(1000);
  CHECK(s.requests == 2);
  CHECK(s.bytes == 1500);
  CHECK(s.errors == 1);
  CHECK(s.in_flight == 1);
  CHECK(s.busy_ns == 200 + 100);
  CHECK(s.queue_integral_ns == 50 + 2 * 50 + 100 + 100);
  CHECK(s.queue_wait_ns == 10);
  CHECK(s.latency_sum_ns == 100 + 150);
  CHECK(s.latency_max_ns == 150);
}
