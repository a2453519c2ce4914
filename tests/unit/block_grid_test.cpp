// SPDX-License-Identifier: MIT
#include "common/sg/block_grid.hpp"

#include <algorithm>
#include <catch2/catch.hpp>
#include <map>
#include <random>

#include "common/sg/block_search.hpp"
#include "common/sg/scan_index.hpp"

using namespace mark6;
using namespace mark6::sg;

namespace {

constexpr std::uint32_t kPacket = 8032;
constexpr std::uint32_t kFull = 131 * kPacket;  // a little over 1 MiB

/// A fragment of large blocks of which only the headers exist; it counts how often it is read.
class HeadersOnly final : public ByteSource {
 public:
  void add(std::int32_t number, std::uint32_t payload_bytes, std::int32_t wrong_by = 0) {
    std::array<std::byte, 8> header{};
    store_block_header({number, static_cast<std::int32_t>(payload_bytes) + 8 + wrong_by}, 2,
                       header);
    for (std::size_t i = 0; i < 8; ++i) bytes_[end_ + i] = header[i];
    end_ += 8 + payload_bytes;
  }
  HeadersOnly() {
    std::array<std::byte, kFileHeaderBytes> header{};
    store_file_header({2, static_cast<std::int32_t>(kFull) + 8, 0, kPacket}, header);
    for (std::size_t i = 0; i < header.size(); ++i) bytes_[i] = header[i];
    end_ = header.size();
  }
  void cut(std::uint64_t bytes) { end_ -= bytes; }
  [[nodiscard]] std::uint64_t size() const override { return end_; }
  Result<std::size_t> read_at(FileOffset offset, MutableBytes into) override {
    ++reads;
    std::size_t n = 0;
    for (; n < into.size() && offset.value + n < end_; ++n) {
      const auto found = bytes_.find(offset.value + n);
      into[n] = found == bytes_.end() ? std::byte{0x44} : found->second;
    }
    return n;
  }
  int reads = 0;

 private:
  std::map<std::uint64_t, std::byte> bytes_;
  std::uint64_t end_ = 0;
};

struct Recording {
  std::vector<HeadersOnly> disks;
  std::vector<std::uint32_t> lengths;  ///< by number
};

/// `blocks` blocks on 4 disks at random; those in `shorts` carry fewer packets.
Recording record(std::size_t blocks, const std::map<std::size_t, std::uint32_t>& shorts,
                 unsigned seed) {
  Recording recording;
  recording.disks.resize(4);
  std::mt19937 random(seed);
  for (std::size_t number = 0; number < blocks; ++number) {
    const auto found = shorts.find(number);
    const std::uint32_t length = found == shorts.end() ? kFull : found->second * kPacket;
    recording.lengths.push_back(length);
    recording.disks[random() % 4].add(static_cast<std::int32_t>(number), length);
  }
  return recording;
}

std::optional<BlockGrid> prove(Recording& recording) {
  std::vector<GridFragment> grids;
  for (HeadersOnly& disk : recording.disks) {
    auto grid = probe_grid(disk);
    if (!grid) return std::nullopt;
    grids.push_back(std::move(*grid));
  }
  return BlockGrid::prove(std::move(grids));
}

}  // namespace

TEST_CASE("block grid: size, offsets and lengths are those of the full walk", "[unit][pure]") {
  const std::vector<std::map<std::size_t, std::uint32_t>> cases = {
      {}, {{999, 7}}, {{400, 1}}, {{0, 131}, {500, 3}, {501, 100}, {999, 50}}, {{333, 130}}};
  for (std::size_t i = 0; i < cases.size(); ++i) {
    CAPTURE(i);
    Recording recording = record(1000, cases[i], static_cast<unsigned>(i));
    const auto grid = prove(recording);
    REQUIRE(grid);
    std::vector<Fragment> fragments;
    for (HeadersOnly& disk : recording.disks) fragments.push_back(walk_fragment(disk));
    const ScanIndex walked = ScanIndex::merge(std::move(fragments));
    REQUIRE(walked.state() == ScanState::kComplete);
    CHECK(grid->size_bytes() == walked.size_bytes());
    REQUIRE(grid->block_count() == walked.block_count());
    for (std::size_t block = 0; block < walked.block_count(); ++block) {
      const Extent extent = walked.block(block);
      REQUIRE(grid->offset_of(block) == extent.scan_offset);
      REQUIRE(grid->length_of(block) == extent.length);
      REQUIRE(grid->find(extent.scan_offset) == block);
      REQUIRE(grid->find(extent.scan_end() - 1) == block);
      HeadersOnly& disk = recording.disks[extent.fragment().value];
      const auto& fragment = grid->fragments()[extent.fragment().value];
      const auto place = find_block(disk, fragment, extent.number);
      REQUIRE(place.has_value());
      REQUIRE(place->has_value());
      REQUIRE(fragment.payload_offset(**place) == extent.file_offset());
      REQUIRE(fragment.payload_bytes(**place) == extent.length);
    }
    CHECK(grid->find(ScanOffset(grid->size_bytes())) == grid->block_count());
  }
}

TEST_CASE("block grid: a healthy fragment takes two reads, a short block a bisection",
          "[unit][pure]") {
  Recording recording = record(8000, {{4000, 5}}, 1);
  REQUIRE(prove(recording));
  std::vector<int> reads;
  for (const HeadersOnly& disk : recording.disks) reads.push_back(disk.reads);
  std::sort(reads.begin(), reads.end());
  CHECK(reads[0] == 2);
  CHECK(reads[2] == 2);
  CHECK(reads[3] <= 4 + 12);  // log2(2000) = 11
}

TEST_CASE("block grid: interpolation finds a block in a few reads", "[unit][pure]") {
  Recording recording = record(8000, {}, 2);
  const auto grid = prove(recording);
  REQUIRE(grid);
  std::mt19937 random(3);
  int searches = 0;
  const int before = recording.disks[0].reads;
  for (; searches < 100; ++searches) {
    const BlockNumber number(static_cast<std::int32_t>(random() % 8000));
    REQUIRE(find_block(recording.disks[0], grid->fragments()[0], number).has_value());
  }
  CHECK(recording.disks[0].reads - before <= 12 * searches);
}

TEST_CASE("block grid: what does not add up proves nothing", "[unit][pure]") {
  SECTION("a missing block") {
    Recording recording = record(1000, {}, 4);
    recording.disks[0].add(1001, kFull);
    CHECK_FALSE(prove(recording));
  }
  SECTION("a block twice") {
    Recording recording = record(1000, {}, 5);
    recording.disks[1].add(999, kFull);
    recording.disks[2].add(999, kFull);
    CHECK_FALSE(prove(recording));
  }
  SECTION("a cut fragment") {
    Recording recording = record(1000, {}, 6);
    recording.disks[3].cut(500);
    CHECK_FALSE(prove(recording));
  }
  SECTION("a last block with a wrong length") {
    Recording recording = record(1000, {}, 7);
    recording.disks[0].add(1000, kFull, 8032);
    CHECK_FALSE(prove(recording));
  }
  SECTION("too few blocks to be worth it") {
    Recording recording = record(100, {}, 8);
    CHECK_FALSE(prove(recording));
  }
}
