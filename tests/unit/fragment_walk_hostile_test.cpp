// SPDX-License-Identifier: MIT
// Files that no recorder wrote: whatever the bytes are, the walk ends soon, reads a bounded amount
// and lists only what lies inside the file.
#include <catch2/catch.hpp>
#include <random>

#include "common/sg/resync.hpp"
#include "tests/support/sanitized.hpp"
#include "tests/support/walked.hpp"

using namespace mark6::test;
using mark6::sg::Fragment;
using mark6::sg::walk_fragment;

namespace {

constexpr std::uint64_t kTiB = std::uint64_t{1} << 40;
constexpr std::uint32_t kBrokenBlocks = kSanitized ? 30'000 : 300'000;

/// Blocks lie one behind the other, inside the file. One REQUIRE for all of them: there may be a
/// million.
void check_places(const Fragment& fragment) {
  std::uint64_t end = 20;
  std::size_t right = 0;
  for (const auto& block : fragment.blocks) {
    if (block.payload_bytes == 0 || block.number.value < 0) break;
    if (block.payload_offset.value < end + 4) break;
    end = block.payload_offset.value + block.payload_bytes;
    if (end > fragment.file_bytes) break;
    ++right;
  }
  REQUIRE(right == fragment.blocks.size());
  REQUIRE(fragment.damage.size() <= mark6::sg::kMaxDamage);
  REQUIRE(fragment.damage.size() <= fragment.damage_count);
}

FragmentSpec empty_spec(std::int32_t version, std::int32_t block_size, std::int32_t packet_size) {
  FragmentSpec spec;
  spec.version = version;
  spec.block_size = block_size;
  spec.packet_size = packet_size;
  return spec;
}

}  // namespace

TEST_CASE("fragment walk: a sparse file of 16 TiB is given up soon", "[unit][pure]") {
  for (const std::int32_t block_size : {10328, 10'000'000, 0, -1, INT32_MAX}) {
    MemorySource source(fragment_bytes(empty_spec(2, block_size, 1032)), 16 * kTiB);
    const Fragment fragment = walk_fragment(source);
    CHECK(fragment.blocks.empty());
    CHECK(source.bytes_read() <= 2 * mark6::sg::kResyncLimitBytes);
  }
}

TEST_CASE("fragment walk: a healthy beginning of a sparse file is kept", "[unit][pure]") {
  const FragmentSpec spec = healthy_fragment({0, 1, 2});
  MemorySource source(fragment_bytes(spec), 16 * kTiB);
  const Fragment fragment = walk_fragment(source);
  check_places(fragment);
  CHECK(fragment.blocks.size() == 3);
  REQUIRE(fragment.damage.size() == 1);
  CHECK(fragment.damage[0].bytes == 16 * kTiB - fragment_bytes(spec).size());
}

TEST_CASE("fragment walk: a sparse version 1 file with tiny blocks is given up", "[unit][pure]") {
  MemorySource source(fragment_bytes(empty_spec(1, 5, 1)), 16 * kTiB);
  const Fragment fragment = walk_fragment(source);
  CHECK(fragment.blocks.size() <= mark6::sg::kMaxTroubles + 1);
  CHECK(fragment.damage.size() == mark6::sg::kMaxDamage);
  CHECK(describe(fragment.damage.back()) ==
        "block 0: out of order: more damage follows, which is counted but not listed");
  CHECK(fragment.damage_count > mark6::sg::kMaxDamage);
}

TEST_CASE("fragment walk: a file larger than an extent can point into is walked in part",
          "[unit][pure]") {
  MemorySource source(fragment_bytes(healthy_fragment({0, 1})), UINT64_MAX);
  const Fragment fragment = walk_fragment(source);
  CHECK(fragment.blocks.size() == 2);
  CHECK(fragment.damage_count == 2);
}

TEST_CASE("fragment walk: a million tiny blocks are so many blocks", "[unit][pure]") {
  constexpr std::uint32_t kBlocks = kSanitized ? 50'000 : 1'000'000;
  ByteVector bytes = fragment_bytes(empty_spec(2, 10, 0));
  bytes.reserve(20 + std::size_t{9} * kBlocks);
  for (std::uint32_t i = 0; i < kBlocks; ++i) {
    append_le32(bytes, i);
    append_le32(bytes, 9);
    bytes.push_back(std::byte{1});
  }
  MemorySource source(std::move(bytes));
  const Fragment fragment = walk_fragment(source);
  CHECK(fragment.blocks.size() == kBlocks);
  CHECK(fragment.damage_count == 0);
  CHECK(source.reads() <= kBlocks + 4);
}

TEST_CASE("fragment walk: many broken blocks do not start a long search each", "[unit][pure]") {
  ByteVector bytes = fragment_bytes(empty_spec(2, 1 << 30, 0));
  SECTION("empty blocks, each followed by the next") {
    for (std::uint32_t i = 0; i < kBrokenBlocks; ++i) {
      append_le32(bytes, i);
      append_le32(bytes, 8);
    }
  }
  SECTION("lengths that lead into nothing") {
    for (std::uint32_t i = 0; i < kBrokenBlocks; ++i) {
      append_le32(bytes, i);
      append_le32(bytes, 1'000'000'007);
    }
  }
  SECTION("headers that lead to headers that lead nowhere") {
    for (std::uint32_t i = 0; i < kBrokenBlocks; ++i) {
      append_le32(bytes, i);
      append_le32(bytes, i % 2 == 0 ? 16 : 0x7fffffffU);
    }
  }
  MemorySource source(std::move(bytes), 64 * kTiB);
  const Fragment fragment = walk_fragment(source);
  check_places(fragment);
  CHECK(source.bytes_read() <= mark6::sg::kResyncTotalBytes + (std::uint64_t{64} << 20));
  CHECK(source.reads() <= 10 * std::uint64_t{kBrokenBlocks});
}

TEST_CASE("fragment walk: numbers 2^31 apart and odd lengths are survived", "[unit][pure]") {
  for (const std::int32_t packet_size : {0, 1, 1032, 10320, INT32_MAX, INT32_MIN}) {
    for (const std::int32_t wb_size : {0, 8, 9, INT32_MIN, INT32_MAX, -1}) {
      FragmentSpec spec = healthy_fragment({0, 1, 2, 3, 4, 5});
      spec.packet_size = packet_size;
      spec.blocks[1].number = INT32_MAX;
      spec.blocks[3].number = INT32_MIN;
      spec.blocks[4].wb_size = wb_size;
      const Walked walked(spec);
      check_places(walked.fragment);
      CHECK(walked.numbers().front() == 0);
      CHECK(walked.numbers().back() == 5);
      if (packet_size == 1032) CHECK(walked.numbers() == Numbers{0, 2, 4, 5});
    }
  }
}

TEST_CASE("fragment walk: a length below that of a block header is none, also without a block size",
          "[unit][pure]") {
  for (const std::uint32_t wb_size : {0U, 1U, 5U, 7U, 8U}) {
    ByteVector bytes = fragment_bytes(empty_spec(2, 0, 0));
    append_le32(bytes, 7);
    append_le32(bytes, wb_size);
    append_le32(bytes, 0);
    const Walked walked(std::move(bytes));
    check_places(walked.fragment);
    CHECK(walked.fragment.blocks.empty());
  }
}

TEST_CASE("fragment walk: any bytes may follow the file header", "[unit][pure]") {
  // Random edits of healthy fragments, and pure noise: nothing to be found, nothing to be broken.
  const FragmentSpec healthy = healthy_fragment({0, 1, 2, 3});
  for (std::uint32_t seed = 0; seed < 400; ++seed) {
    CAPTURE(seed);
    std::mt19937 random(seed);
    FragmentSpec spec = healthy;
    spec.version = seed % 3 == 0 ? 1 : 2;
    spec.old_wb_size = seed % 5 == 0;
    spec.packet_size = seed % 7 == 0 ? 0 : 1032;
    ByteVector bytes = fragment_bytes(spec);
    for (std::uint32_t edits = random() % 8; edits > 0; --edits) {
      // Half of the edits hit the headers.
      const std::uint64_t header = block_offset(spec, random() % 4) + random() % 8;
      const std::uint64_t at = random() % 2 == 0 ? header : random() % bytes.size();
      bytes[at] = static_cast<std::byte>(random());
    }
    bytes.resize(random() % 4 == 0 ? random() % bytes.size() : bytes.size());
    check_places(Walked(bytes).fragment);

    ByteVector junk = fragment_bytes(empty_spec(spec.version, static_cast<std::int32_t>(random()),
                                                static_cast<std::int32_t>(random())));
    append(junk, noise(random() % 3000, seed));
    check_places(Walked(junk).fragment);
    check_places(Walked(noise(random() % 100, seed)).fragment);
  }
}
