// SPDX-License-Identifier: MIT
// Where `mark6 diagnose` reads, and what it makes of /proc/stat and of the sizes of fragments.
#include "tools/diagnose_places.hpp"

#include <catch2/catch.hpp>
#include <set>

#include "tools/diagnose_cpu.hpp"
#include "tools/diagnose_recorder.hpp"

using namespace mark6;

namespace {

constexpr std::uint64_t kMiB = ReadPlaces::kUnitBytes;

FragmentPath fragment(const std::string& path, std::uint32_t disk, std::uint64_t bytes,
                      std::int64_t mtime_s) {
  return {.path = path, .disk = DiskIndex(disk), .size_bytes = bytes, .mtime_s = mtime_s};
}

std::vector<std::string> paths(const std::vector<const FragmentPath*>& fragments) {
  std::vector<std::string> result;
  for (const FragmentPath* f : fragments) result.push_back(f->path);
  return result;
}

}  // namespace

TEST_CASE("diagnose places: the largest fragments of a disk, in the order of recording",
          "[unit][diagnose][pure]") {
  Catalog catalog;
  catalog.disks.resize(2);
  catalog.scans = {{"a", {fragment("late", 0, 900, 30), fragment("other disk", 1, 900, 30)}},
                   {"b", {fragment("early", 0, 1000, 10)}},
                   {"c", {fragment("small", 0, 499, 5)}},
                   {"d", {fragment("middle", 0, 500, 20), fragment("nothing", 1, 0, 1)}}};
  CHECK(paths(fragments_to_read(catalog, DiskIndex(0), 8)) ==
        std::vector<std::string>{"early", "middle", "late"});
  CHECK(paths(fragments_to_read(catalog, DiskIndex(0), 2)) ==
        std::vector<std::string>{"early", "middle"});
  CHECK(paths(fragments_to_read(catalog, DiskIndex(1), 8)) ==
        std::vector<std::string>{"other disk"});
  catalog.scans.clear();
  CHECK(fragments_to_read(catalog, DiskIndex(0), 8).empty());
}

TEST_CASE("diagnose places: runs of a block at five places, from the first file to the last",
          "[unit][diagnose][pure]") {
  const std::vector<std::uint64_t> files{500 * kMiB + 7, 500 * kMiB};
  const ReadPlaces places(files);
  CHECK(places.units() == 1000);
  std::vector<std::uint64_t> starts;
  for (std::uint64_t n = 0; n < ReadPlaces::kLapUnits; ++n) {
    const ReadPlace place = places.at(n);
    CHECK(place.length == kMiB);
    const std::uint64_t unit = place.file * 500 + place.offset / kMiB;
    if (n % ReadPlaces::kRunUnits == 0) starts.push_back(unit);
    CHECK(unit == starts.back() + n % ReadPlaces::kRunUnits);
  }
  CHECK(starts == std::vector<std::uint64_t>{0, 200, 400, 600, 800});
}

TEST_CASE("diagnose places: nothing is read twice before all of it was read",
          "[unit][diagnose][pure]") {
  const std::vector<std::uint64_t> files{130 * kMiB, 120 * kMiB};
  const ReadPlaces places(files);
  std::set<std::pair<std::size_t, std::uint64_t>> seen;
  for (std::uint64_t n = 0; n < 250; ++n) {
    const ReadPlace place = places.at(n);
    CHECK(place.offset + place.length <= files[place.file]);
    CHECK(seen.emplace(place.file, place.offset).second);
  }
  const ReadPlace again = places.at(250);
  CHECK(seen.contains({again.file, again.offset}));
}

TEST_CASE("diagnose places: small and empty files are read within their bounds",
          "[unit][diagnose][pure]") {
  CHECK(ReadPlaces(std::vector<std::uint64_t>{}).empty());
  CHECK(ReadPlaces(std::vector<std::uint64_t>{0, 0}).empty());
  const std::vector<std::uint64_t> files{20, 0, 5000};
  const ReadPlaces places(files);
  CHECK(places.units() == 2);
  for (std::uint64_t n = 0; n < 1000; ++n) {
    const ReadPlace place = places.at(n);
    CHECK(place.offset == 0);
    CHECK(place.length == files[place.file]);
    CHECK(place.length > 0);
  }
  // Beside a file that fills a unit, those that fill none are not worth a seek.
  CHECK(ReadPlaces(std::vector<std::uint64_t>{20, kMiB, 3 * kMiB - 1}).units() == 3);
}

TEST_CASE("diagnose places: a new measurement begins with the outermost place",
          "[unit][diagnose][pure]") {
  CHECK(ReadPlaces::next_lap(0) == 0);
  CHECK(ReadPlaces::next_lap(1) == ReadPlaces::kLapUnits);
  CHECK(ReadPlaces::next_lap(ReadPlaces::kLapUnits) == ReadPlaces::kLapUnits);
}

TEST_CASE("diagnose recorder: blocks are counted by the size of a fragment",
          "[unit][diagnose][pure]") {
  const sg::FileHeader header{.version = 2, .block_size = 1000};
  CHECK(blocks_by_size(header, 20) == 0);
  CHECK(blocks_by_size(header, 20 + 1000) == 1);
  CHECK(blocks_by_size(header, 20 + 2500) == 3);  // the last one is short
  CHECK(blocks_by_size({.version = 2, .block_size = -5}, 5000) == 0);
  CHECK(blocks_by_size({.version = 2, .block_size = 8}, 5000) == 0);
}

TEST_CASE("diagnose recorder: a disk is compared with disks that hold the same scans",
          "[unit][diagnose][pure]") {
  Catalog catalog;
  for (const std::string module : {"1", "2"}) {
    for (const std::string disk : {"0", "1", "2", "3", "4"}) {
      catalog.disks.push_back({module, disk, "/m/" + module + "/" + disk + "/data", {}});
    }
  }
  Scan first{"first", {}}, second{"second", {}};
  std::map<std::size_t, BlocksOfScan> blocks;
  for (std::uint32_t i = 0; i < 10; ++i) {
    (i < 5 ? first : second).fragments.push_back(fragment("f", i, 1000, 0));
    blocks[i < 5 ? 0 : 1][i] = i < 5 ? 1000 : 100;  // module 2 has a tenth of module 1's
  }
  blocks[0][3] = 400;
  catalog.scans = {first, second};
  std::vector<DiskUnderTest> disks;
  for (std::uint32_t i = 0; i < 10; ++i) {
    disks.push_back({.disk = DiskIndex(i), .device = {}});
  }
  add_recorder_evidence(catalog, blocks, disks);
  for (std::size_t i = 0; i < 10; ++i) {
    CAPTURE(i);
    CHECK(disks[i].slow_while_recording == (i == 3));
  }
  CHECK(disks[3].blocks == 400);
  CHECK(*disks[3].block_share == Approx(400.0 / 4400));
  CHECK(disks[3].recording.find("was slow while recording: 400 blocks") == 0);
  // Where the blocks of one fragment are not known, the scan tells nothing.
  blocks[0].erase(4);
  std::vector<DiskUnderTest> again{{.disk = DiskIndex(3), .device = {}}};
  add_recorder_evidence(catalog, blocks, again);
  CHECK_FALSE(again[0].blocks.has_value());
  CHECK_FALSE(again[0].slow_while_recording);
}

TEST_CASE("diagnose CPU: the first line of /proc/stat, idle and iowait apart",
          "[unit][diagnose][pure]") {
  const auto ticks = parse_machine_ticks("cpu  10 1 5 100 20 2 3 4 7 0\ncpu0 1 1\n");
  REQUIRE(ticks);
  CHECK(ticks->busy == 25);
  CHECK(ticks->all == 145);
  for (const char* text : {"", "cpu", "cpu \n", "cpu  1 2 3\n", "cpu  a b\n",
                           "cpu0 1 2 3 4 5 6 7 8\n", "cpu  1 2 3 4 5 6 7 8"}) {
    CHECK_FALSE(parse_machine_ticks(text));
  }
}
