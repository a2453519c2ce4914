// SPDX-License-Identifier: MIT
// Finding who shares a bottleneck, on packs that are computed: groups of disks with caps, shared
// out fairly, with some noise on every figure.
#include "tools/diagnose_groups.hpp"

#include <algorithm>
#include <catch2/catch.hpp>
#include <limits>
#include <random>

using namespace mark6;

namespace {

using Disks = std::vector<std::size_t>;

struct Cap {
  Disks disks;
  double bytes_per_s;
};

/// Disks with a pace each, and caps on some of them; a cap may lie around another.
struct Pack {
  std::vector<double> alone;
  std::vector<Cap> caps{};
  double noise = 0;
  std::size_t most_measurements = 1000;

  std::mt19937_64 random{7};
  std::size_t measurements = 0;

  /// Max-min fair: rates rise alike until a disk has its own pace or one of its caps is full.
  std::vector<double> measure(const Disks& disks) {
    std::vector<double> rate(alone.size(), 0);
    Disks rising = disks;
    while (!rising.empty()) {
      double step = std::numeric_limits<double>::max();
      for (const std::size_t disk : rising) step = std::min(step, alone[disk] - rate[disk]);
      for (const Cap& cap : caps) {
        const std::size_t there = count(rising, cap);
        if (there > 0) step = std::min(step, (cap.bytes_per_s - used(rate, cap)) / double(there));
      }
      for (const std::size_t disk : rising) rate[disk] += step;
      std::erase_if(rising, [&](std::size_t disk) {
        return rate[disk] >= 0.9999 * alone[disk] ||
               std::any_of(caps.begin(), caps.end(), [&](const Cap& cap) {
                 return in(cap.disks, disk) && used(rate, cap) >= 0.9999 * cap.bytes_per_s;
               });
      });
    }
    std::vector<double> rates;
    std::normal_distribution<double> scatter(1, noise);
    for (const std::size_t disk : disks) rates.push_back(rate[disk] * scatter(random));
    return rates;
  }

  static bool in(const Disks& disks, std::size_t disk) {
    return std::find(disks.begin(), disks.end(), disk) != disks.end();
  }
  static std::size_t count(const Disks& disks, const Cap& cap) {
    return static_cast<std::size_t>(std::count_if(
        disks.begin(), disks.end(), [&](std::size_t disk) { return in(cap.disks, disk); }));
  }
  static double used(const std::vector<double>& rate, const Cap& cap) {
    double sum = 0;
    for (const std::size_t disk : cap.disks) sum += rate[disk];
    return sum;
  }

  GroupSearch search() {
    Disks all(alone.size());
    std::vector<std::string> lane;
    for (std::size_t i = 0; i < all.size(); ++i) {
      all[i] = i;
      lane.push_back(std::to_string(i / 4));
    }
    const auto together = measure(all);
    measurements = 0;
    GroupSearch found = find_shared(all, together, alone, lane,
                                    [&](const Disks& disks) -> std::optional<std::vector<double>> {
                                      if (measurements == most_measurements) return {};
                                      ++measurements;
                                      return measure(disks);
                                    });
    for (SharedGroup& group : found.groups) std::sort(group.disks.begin(), group.disks.end());
    std::sort(found.groups.begin(), found.groups.end(),
              [](const SharedGroup& a, const SharedGroup& b) { return a.disks < b.disks; });
    return found;
  }
};

Pack pack_of(std::size_t disks, double pace = 60) { return {std::vector<double>(disks, pace)}; }

Disks range(std::size_t first, std::size_t last) {
  Disks disks;
  for (std::size_t i = first; i <= last; ++i) disks.push_back(i);
  return disks;
}

}  // namespace

TEST_CASE("diagnose groups: disks that do not hold each other up are in no group",
          "[unit][diagnose][pure]") {
  Pack pack = pack_of(16);
  pack.noise = 0.03;
  pack.alone[5] = 15;  // slow, but by itself
  const GroupSearch found = pack.search();
  CHECK(found.groups.empty());
  CHECK(pack.measurements == 0);
  CHECK_FALSE(found.out_of_time);
}

TEST_CASE("diagnose groups: four disks with a cap are named, wherever they are, and the cap",
          "[unit][diagnose][pure]") {
  for (const Disks& four : std::vector<Disks>{{0, 1, 2, 3}, {2, 6, 9, 15}, {12, 13, 14, 15}}) {
    for (const double cap : {60.0, 120.0, 190.0}) {
      Pack pack = pack_of(16);
      pack.caps = {{four, cap}};
      pack.noise = 0.015;
      const GroupSearch found = pack.search();
      CAPTURE(four, cap);
      REQUIRE(found.groups.size() == 1);
      CHECK(found.groups[0].disks == four);
      CHECK(found.groups[0].cap_bytes_per_s == Approx(cap).epsilon(0.05));
      CHECK(pack.measurements <= 4);
    }
  }
}

TEST_CASE("diagnose groups: several groups are kept apart", "[unit][diagnose][pure]") {
  Pack pack = pack_of(16);
  pack.caps = {{{0, 1, 2, 3}, 120}, {{4, 9}, 80}, {{10, 11, 12}, 100}};
  pack.noise = 0.01;
  const GroupSearch found = pack.search();
  REQUIRE(found.groups.size() == 3);
  CHECK(found.groups[0].disks == Disks{0, 1, 2, 3});
  CHECK(found.groups[1].disks == Disks{4, 9});
  CHECK(found.groups[1].cap_bytes_per_s == Approx(80).epsilon(0.05));
  CHECK(found.groups[2].disks == Disks{10, 11, 12});
}

TEST_CASE("diagnose groups: all lanes capped alike are still four groups",
          "[unit][diagnose][pure]") {
  Pack pack = pack_of(16);
  for (std::size_t lane = 0; lane < 4; ++lane) {
    pack.caps.push_back({range(4 * lane, 4 * lane + 3), 120});
  }
  pack.noise = 0.015;
  const GroupSearch found = pack.search();
  REQUIRE(found.groups.size() == 4);
  for (std::size_t lane = 0; lane < 4; ++lane) {
    CHECK(found.groups[lane].disks == range(4 * lane, 4 * lane + 3));
    CHECK(found.groups[lane].cap_bytes_per_s == Approx(120).epsilon(0.05));
  }
}

TEST_CASE("diagnose groups: interleaved groups that were left out together come apart",
          "[unit][diagnose][pure]") {
  Pack pack = pack_of(16);
  pack.caps = {{{0, 2, 4, 6}, 100}, {{1, 3, 5, 7}, 140}};
  const GroupSearch found = pack.search();
  REQUIRE(found.groups.size() == 2);
  CHECK(found.groups[0].disks == Disks{0, 2, 4, 6});
  CHECK(found.groups[1].disks == Disks{1, 3, 5, 7});
}

TEST_CASE("diagnose groups: a cap on modules of eight, and one on all", "[unit][diagnose][pure]") {
  Pack modules = pack_of(32);
  modules.caps = {{range(8, 15), 300}};
  modules.noise = 0.015;
  const GroupSearch one = modules.search();
  REQUIRE(one.groups.size() == 1);
  CHECK(one.groups[0].disks == range(8, 15));

  Pack controller = pack_of(16);
  controller.caps = {{range(0, 15), 600}};
  controller.noise = 0.015;
  const GroupSearch all = controller.search();
  REQUIRE(all.groups.size() == 1);
  CHECK(all.groups[0].disks == range(0, 15));
  CHECK(all.groups[0].cap_bytes_per_s == Approx(600).epsilon(0.05));
}

TEST_CASE("diagnose groups: a lane with a cap of its own is found within a larger group",
          "[unit][diagnose][pure]") {
  Pack pack = pack_of(16);
  pack.caps = {{range(0, 15), 480}, {{8, 9, 10, 11}, 150}};
  const GroupSearch found = pack.search();
  REQUIRE(found.groups.size() == 2);
  CHECK(found.groups[0].disks == range(0, 15));
  CHECK(found.groups[1].disks == Disks{8, 9, 10, 11});
  CHECK(found.groups[1].cap_bytes_per_s == Approx(150).epsilon(0.05));
}

TEST_CASE("diagnose groups: when there is no time left, it says so", "[unit][diagnose][pure]") {
  Pack pack = pack_of(16);
  pack.caps = {{{0, 1, 2, 3}, 120}, {{8, 9, 10, 11}, 120}};
  pack.most_measurements = 3;
  const GroupSearch found = pack.search();
  CHECK(found.out_of_time);
  CHECK(found.groups.size() == 1);
}

TEST_CASE("diagnose groups: figures of any kind come to an end", "[unit][diagnose][pure]") {
  std::mt19937_64 random(3);
  std::uniform_real_distribution<double> any(0, 100);
  for (int round = 0; round < 200; ++round) {
    Disks disks(1 + random() % 40);
    std::vector<double> alone, together;
    std::vector<std::string> lane;
    for (std::size_t i = 0; i < disks.size(); ++i) {
      disks[i] = i;
      alone.push_back(any(random));
      together.push_back(any(random));
      lane.push_back(std::to_string(i / 4));
    }
    std::size_t measurements = 0;
    const auto found = find_shared(disks, together, alone, lane, [&](const Disks& asked) {
      ++measurements;
      std::vector<double> rates(asked.size());
      for (double& rate : rates) rate = any(random);
      return std::optional(rates);
    });
    CHECK(measurements <= 4 * disks.size() + 4);
    for (const SharedGroup& group : found.groups) CHECK(group.disks.size() >= 2);
  }
}
