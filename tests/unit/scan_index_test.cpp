// SPDX-License-Identifier: MIT
// The merge of fragments into one scan: order, duplicates, holes, and which fragments belong.
#include "common/sg/scan_index.hpp"

#include <catch2/catch.hpp>

#include "tests/support/sanitized.hpp"
#include "tests/support/walked.hpp"

using namespace mark6::test;
using mark6::BlockNumber;
using mark6::FileOffset;
using mark6::FragmentIndex;
using mark6::ScanOffset;
using mark6::sg::BlockRange;
using mark6::sg::Fragment;
using mark6::sg::FragmentUse;
using mark6::sg::ScanIndex;
using mark6::sg::ScanState;

namespace {

Fragment walked(const FragmentSpec& spec) { return Walked(spec).fragment; }
Fragment full(const Numbers& numbers) { return Walked(healthy_fragment(numbers)).fragment; }

Numbers numbers_of(const ScanIndex& index) {
  Numbers numbers;
  for (const auto& extent : index.extents()) numbers.push_back(extent.number.value);
  return numbers;
}

BlockRange range(std::int32_t first, std::int32_t last) {
  return {BlockNumber(first), BlockNumber(last)};
}

constexpr std::uint64_t kFull = 10320;  ///< payload of a full block

/// A fragment with blocks but without a file.
Fragment made_up(const Numbers& numbers, std::uint32_t bytes = 100) {
  Fragment fragment;
  fragment.kind = mark6::sg::FragmentKind::kScatterGather;
  fragment.header = {2, 108, 0, 10};
  fragment.packet_size = 10;
  std::uint64_t at = 28;
  for (const std::int32_t number : numbers) {
    fragment.blocks.push_back({FileOffset(at), bytes, BlockNumber(number)});
    at += bytes + 8;
  }
  fragment.file_bytes = at - 8;
  return fragment;
}

}  // namespace

TEST_CASE("scan index: blocks of all fragments come in the order of their numbers",
          "[unit][pure]") {
  const auto index = ScanIndex::merge({full({1, 2, 5}), full({0, 4}), full({3})});
  CHECK(numbers_of(index) == Numbers{0, 1, 2, 3, 4, 5});
  CHECK(index.size_bytes() == 6 * kFull);
  CHECK(index.packet_size() == 1032);
  CHECK(index.largest_extent_bytes() == 10320);
  CHECK(index.missing().empty());
  CHECK(index.state() == ScanState::kComplete);
  CHECK(index.fragments().size() == 3);
  CHECK(index.fragments()[0].blocks == 3);
  CHECK(index.fragments()[0].payload_bytes == 3 * kFull);
  CHECK(index.extents()[2].fragment() == FragmentIndex(0));
  CHECK(index.extents()[2].file_offset() == FileOffset(20 + 10328 + 8));
  CHECK(index.extents()[2].scan_offset == ScanOffset(2 * kFull));
}

TEST_CASE("scan index: a short block moves up what follows", "[unit][pure]") {
  FragmentSpec spec = healthy_fragment({1});
  spec.blocks[0].payload = vdif_frames(0, 3);
  const auto index = ScanIndex::merge({full({0, 2}), walked(spec)});
  CHECK(index.extents()[2].scan_offset == ScanOffset(10320 + 3096));
  CHECK(index.size_bytes() == 2 * kFull + 3096);
}

TEST_CASE("scan index: a missing block is reported as a range", "[unit][pure]") {
  const auto index = ScanIndex::merge({full({10, 13}), full({11, 20})});
  CHECK(index.missing() == std::vector<BlockRange>{range(12, 12), range(14, 19)});
  CHECK(index.missing_blocks() == 7);
  CHECK(index.size_bytes() == 4 * kFull);
  CHECK(index.state() == ScanState::kHoles);
}

TEST_CASE("scan index: missing blocks are counted in 64 bits", "[unit][pure]") {
  const auto index = ScanIndex::merge({made_up({0, INT32_MAX})});
  CHECK(index.missing() == std::vector<BlockRange>{range(1, INT32_MAX - 1)});
  CHECK(index.missing_blocks() == 2'147'483'646);
}

TEST_CASE("scan index: of a duplicate the first fragment's is kept, and both are told",
          "[unit][pure]") {
  const auto index = ScanIndex::merge({full({0, 1}), full({1, 2}), full({1, 3})});
  CHECK(numbers_of(index) == Numbers{0, 1, 2, 3});
  CHECK(index.extents()[1].fragment() == FragmentIndex(0));
  CHECK(index.duplicate_count() == 2);
  REQUIRE(index.duplicates().size() == 2);
  CHECK(index.duplicates()[1].number == BlockNumber(1));
  CHECK(index.duplicates()[1].kept == FragmentIndex(0));
  CHECK(index.duplicates()[1].dropped == FragmentIndex(2));
  CHECK(index.duplicates()[1].kept_at == FileOffset(20 + 10328 + 8));
  CHECK(index.duplicates()[1].dropped_at == FileOffset(28));
  CHECK(index.state() == ScanState::kDamaged);
}

TEST_CASE("scan index: of a duplicate in one file the earlier is kept", "[unit][pure]") {
  const auto index = ScanIndex::merge({full({4, 4})});
  CHECK(index.extents().size() == 1);
  CHECK(index.extents()[0].file_offset() == FileOffset(28));
}

TEST_CASE("scan index: duplicates are listed up to a cap and all counted", "[unit][pure]") {
  Numbers numbers;
  for (std::int32_t n = 0; n < 1500; ++n) numbers.push_back(n);
  const auto index = ScanIndex::merge({made_up(numbers), made_up(numbers)});
  CHECK(index.duplicate_count() == 1500);
  CHECK(index.duplicates().size() == mark6::sg::kMaxDamage);
}

TEST_CASE("scan index: numbers out of order in a file are put in order", "[unit][pure]") {
  const auto index = ScanIndex::merge({full({5, 3, 4})});
  CHECK(numbers_of(index) == Numbers{3, 4, 5});
  CHECK(index.state() == ScanState::kDamaged);
}

TEST_CASE("scan index: a fragment that disagrees with the majority is left out", "[unit][pure]") {
  FragmentSpec other = healthy_fragment({2});
  SECTION("version") { other.version = 1; }
  SECTION("block size") { other.block_size = 20648; }
  SECTION("packet size") { other.packet_size = 2064; }
  other.blocks[0].payload =
      vdif_frames(0, 10, {.bytes = 1032 + (other.packet_size > 1032 ? 1032U : 0U)});
  const std::vector<Fragment> fragments = {walked(other), full({0}), full({1})};

  const auto index = ScanIndex::merge(fragments);
  CHECK(numbers_of(index) == Numbers{0, 1});
  CHECK(index.fragments()[0].use == FragmentUse::kDisagrees);
  CHECK(index.fragments()[0].blocks == 0);
  CHECK(index.fragments()[1].use == FragmentUse::kUsed);
  CHECK(index.packet_size() == 1032);
  CHECK(index.state() == ScanState::kDamaged);

  const auto all = ScanIndex::merge(fragments, true);
  CHECK(numbers_of(all) == Numbers{0, 1, 2});
  CHECK(all.fragments()[0].use == FragmentUse::kUsed);
}

TEST_CASE("scan index: of two shapes met equally often the one with more blocks counts",
          "[unit][pure]") {
  FragmentSpec other = healthy_fragment({3});
  other.block_size = 20648;
  const auto index = ScanIndex::merge({walked(other), full({0, 1})});
  CHECK(numbers_of(index) == Numbers{0, 1});
}

TEST_CASE("scan index: a fragment that cannot tell its sizes does not disagree", "[unit][pure]") {
  FragmentSpec bad_block_size = healthy_fragment({2});
  bad_block_size.block_size = -1;
  FragmentSpec no_packet_size = healthy_fragment({3});
  no_packet_size.packet_size = 0;
  no_packet_size.blocks[0].payload = noise(10320, 1);
  const auto index =
      ScanIndex::merge({walked(no_packet_size), walked(bad_block_size), full({0}), full({1})});
  CHECK(numbers_of(index) == Numbers{0, 1, 2, 3});
  CHECK(index.packet_size() == 1032);
}

TEST_CASE("scan index: empty and foreign files are passed over and told", "[unit][pure]") {
  const auto index =
      ScanIndex::merge({Walked(ByteVector{}).fragment, Walked(noise(500, 1)).fragment,
                        Walked(vdif_frames(0, 2)).fragment, full({0, 1}), full({})});
  CHECK(numbers_of(index) == Numbers{0, 1});
  const auto& fragments = index.fragments();
  CHECK(fragments[0].use == FragmentUse::kEmpty);
  CHECK(fragments[1].use == FragmentUse::kNotScatterGather);
  CHECK(fragments[2].use == FragmentUse::kNotScatterGather);
  CHECK(fragments[3].use == FragmentUse::kUsed);
  CHECK(fragments[4].use == FragmentUse::kUsed);
  CHECK(index.state() == ScanState::kDamaged);
}

TEST_CASE("scan index: an unreadable fragment is told as such", "[unit][pure]") {
  MemorySource source(fragment_bytes(healthy_fragment({7})));
  source.fail_at(3);
  const auto index = ScanIndex::merge({mark6::sg::walk_fragment(source), full({0})});
  CHECK(index.fragments()[0].use == FragmentUse::kUnreadable);
  CHECK(index.fragments()[0].damage_count == 1);
  CHECK(numbers_of(index) == Numbers{0});
}

TEST_CASE("scan index: a plain file alone is a scan of pieces of 8 MiB", "[unit][pure]") {
  MemorySource source(vdif_frames(0, 2), 20'000'000);
  const auto index = ScanIndex::merge({mark6::sg::walk_fragment(source)});
  CHECK(index.size_bytes() == 20'000'000);
  CHECK(numbers_of(index) == Numbers{0, 1, 2});
  CHECK(index.extents()[1].file_offset() == FileOffset(8388608));
  CHECK(index.extents()[2].length == 20'000'000 - 2 * 8388608);
  CHECK(index.packet_size() == 1032);
  CHECK(index.state() == ScanState::kComplete);
}

TEST_CASE("scan index: two plain files are no scan", "[unit][pure]") {
  const auto plain = Walked(vdif_frames(0, 2)).fragment;
  const auto index = ScanIndex::merge({plain, plain});
  CHECK(index.size_bytes() == 0);
  CHECK(index.fragments()[1].use == FragmentUse::kNotScatterGather);
}

TEST_CASE("scan index: nothing gives nothing", "[unit][pure]") {
  const auto index = ScanIndex::merge({});
  CHECK(index.size_bytes() == 0);
  CHECK(index.extents().empty());
  CHECK(index.find(ScanOffset(0)) == 0);
  CHECK(index.state() == ScanState::kComplete);
}

TEST_CASE("scan index: each byte is found in its extent", "[unit][pure]") {
  FragmentSpec spec = healthy_fragment({1, 3});
  spec.blocks[0].payload = vdif_frame(0);
  const auto index = ScanIndex::merge({full({0, 2}), walked(spec)});
  for (std::size_t i = 0; i < index.extents().size(); ++i) {
    const auto& extent = index.extents()[i];
    CHECK(index.find(extent.scan_offset) == i);
    CHECK(index.find(extent.scan_offset + 1) == i);
    CHECK(index.find(extent.scan_end() - 1) == i);
  }
  CHECK(index.find(ScanOffset(index.size_bytes())) == 4);
  CHECK(index.find(ScanOffset(UINT64_MAX)) == 4);
}

TEST_CASE("scan index: more than 2^32 bytes and more than 32 fragments", "[unit][pure]") {
  std::vector<Fragment> fragments;
  fragments.reserve(48);
  for (std::int32_t f = 0; f < 48; ++f) fragments.push_back(made_up({f, 48 + f}, 1U << 30U));
  const auto index = ScanIndex::merge(std::move(fragments));
  CHECK(index.size_bytes() == std::uint64_t{96} << 30U);
  CHECK(index.find(ScanOffset((std::uint64_t{95} << 30U) + 5)) == 95);
  CHECK(index.extents()[95].fragment() == FragmentIndex(47));
  CHECK(index.extents()[95].file_offset() == FileOffset(28 + (1U << 30U) + 8));
}

TEST_CASE("scan index: fragments beyond the 65535th are left out and told", "[unit][pure]") {
  std::vector<Fragment> fragments(65535);
  for (Fragment& fragment : fragments) fragment = made_up({});
  fragments.push_back(made_up({1}));
  fragments[65534] = made_up({0});
  const auto index = ScanIndex::merge(std::move(fragments));
  CHECK(numbers_of(index) == Numbers{0});
  CHECK(index.extents()[0].fragment() == FragmentIndex(65534));
  CHECK(index.fragments()[65535].use == FragmentUse::kUnreadable);
}

TEST_CASE("scan index: a million blocks are merged", "[unit][pure]") {
  constexpr std::int32_t kDisks = 32;
  constexpr std::int32_t kBlocks = kSanitized ? 50'000 : 1'000'000;
  std::vector<Numbers> numbers(kDisks);
  for (std::int32_t n = 0; n < kBlocks; ++n) {
    numbers[(static_cast<std::uint32_t>(n) * 2654435761U >> 7U) % kDisks].push_back(n);
  }
  std::vector<Fragment> fragments;
  fragments.reserve(numbers.size());
  for (const Numbers& mine : numbers) fragments.push_back(made_up(mine));
  const auto index = ScanIndex::merge(std::move(fragments));
  CHECK(index.extents().size() == kBlocks);
  CHECK(index.size_bytes() == std::uint64_t{100} * kBlocks);
  CHECK(index.missing().empty());
}

TEST_CASE("scan index: states have names", "[unit][pure]") {
  CHECK(to_string(ScanState::kComplete) == "complete");
  CHECK(to_string(ScanState::kHoles) == "holes");
  CHECK(to_string(ScanState::kDamaged) == "damaged");
}
