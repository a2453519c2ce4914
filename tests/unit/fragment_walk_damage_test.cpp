// SPDX-License-Identifier: MIT
// The walk of damaged fragments: what can be saved is saved, what is lost is told, and a break in
// one place does not touch the blocks around it.
#include <fmt/format.h>

#include <algorithm>
#include <catch2/catch.hpp>

#include "tests/support/walked.hpp"

using namespace mark6::test;

namespace {

/// `all` without the one at `index`.
template <class T>
std::vector<T> without(std::vector<T> all, std::size_t index) {
  all.erase(all.begin() + static_cast<std::ptrdiff_t>(index));
  return all;
}

ByteVector cut(ByteVector bytes, std::size_t by) {
  bytes.resize(bytes.size() - by);
  return bytes;
}

ByteVector first_bytes(ByteVector bytes, std::size_t count) {
  bytes.resize(count);
  return bytes;
}

void overwrite(ByteVector& bytes, std::uint64_t at, std::size_t count, std::byte with) {
  std::fill_n(bytes.begin() + static_cast<std::ptrdiff_t>(at), count, with);
}

}  // namespace

TEST_CASE("fragment walk: a cut last block keeps its whole packets", "[unit][pure]") {
  const FragmentSpec spec = healthy_fragment({55, 59});
  const Walked walked(cut(fragment_bytes(spec), 500));
  CHECK(walked.damage() == Lines{"last block 59 cut, 9288 of 10320 bytes usable"});
  CHECK(walked.payloads()[1] == first_bytes(spec.blocks[1].payload, 9288));
}

TEST_CASE("fragment walk: a last block without a whole packet is not listed", "[unit][pure]") {
  const ByteVector bytes = fragment_bytes(healthy_fragment({55, 59}));
  for (const std::size_t by : {9289U, 10320U, 10321U, 10324U}) {  // the last two: into its header
    const Walked walked(cut(bytes, by));
    CHECK(walked.damage() == Lines{"last block 59 cut, 0 of 10320 bytes usable"});
    CHECK(walked.numbers() == Numbers{55});
  }
}

TEST_CASE("fragment walk: the only block may be cut", "[unit][pure]") {
  FragmentSpec spec = healthy_fragment({3});
  SECTION("as today's writers count") {}
  SECTION("as the old writer counted") { spec.old_wb_size = true; }
  const Walked walked(cut(fragment_bytes(spec), 1));
  CHECK(walked.damage() == Lines{"last block 3 cut, 9288 of 10320 bytes usable"});
  CHECK(walked.payloads()[0] == first_bytes(spec.blocks[0].payload, 9288));
}

TEST_CASE("fragment walk: packets of unknown size are kept to the last byte", "[unit][pure]") {
  FragmentSpec spec = healthy_fragment({0, 1});
  spec.packet_size = 0;
  for (BlockSpec& block : spec.blocks) block.payload = noise(10320, 9);
  const Walked walked(cut(fragment_bytes(spec), 500));
  CHECK(walked.damage() == Lines{"last block 1 cut, 9820 of 10320 bytes usable"});
}

TEST_CASE("fragment walk: a cut version 1 file keeps whole packets", "[unit][pure]") {
  FragmentSpec spec = healthy_fragment({0, 1});
  spec.version = 1;
  spec.block_size = 10324;
  const ByteVector bytes = fragment_bytes(spec);
  CHECK(Walked(cut(bytes, 500)).damage() == Lines{"last block 1 cut, 9288 of 10320 bytes usable"});
  CHECK(Walked(cut(bytes, 10320)).damage() == Lines{"last block 1 cut, 0 of 10320 bytes usable"});
  CHECK(Walked(cut(bytes, 10321)).damage() == Lines{"3 bytes left over at the end"});
}

TEST_CASE("fragment walk: less than a block header at the end is told", "[unit][pure]") {
  const FragmentSpec spec = healthy_fragment({0, 1});
  ByteVector bytes = fragment_bytes(spec);
  SECTION("one byte") {
    bytes.push_back(std::byte{7});
    CHECK(Walked(bytes).damage() == Lines{"1 bytes left over at the end"});
  }
  SECTION("seven bytes that hold no number to be expected") {
    bytes.resize(bytes.size() + 7);
    CHECK(Walked(bytes).damage() == Lines{"7 bytes left over at the end"});
  }
  CHECK(Walked(bytes).payloads() == payloads_of(spec));
}

TEST_CASE("fragment walk: a wrong length costs nothing where the next header stands",
          "[unit][pure]") {
  for (const std::size_t index : {1U, 2U, 3U}) {  // the second, one in the middle, the last
    for (const std::int32_t wrong :
         {10320, 10324, 9296, 9999, 8, 0, 7, -8, -9672, INT32_MIN, INT32_MAX, 4'010'328, 20656}) {
      FragmentSpec spec = healthy_fragment({0, 20, 21, 40});
      spec.blocks[index].wb_size = wrong;
      CAPTURE(index, wrong);
      const Walked walked(spec);
      CHECK(walked.payloads() == payloads_of(spec));
      CHECK(walked.damage() ==
            Lines{"block " + std::to_string(spec.blocks[index].number) + ": wrong block length"});
    }
  }
}

TEST_CASE("fragment walk: a wrong length in the first block does not hide the chain",
          "[unit][pure]") {
  for (const std::int32_t wrong : {10320, 9999, 0, -8, INT32_MIN, 4'010'328}) {
    FragmentSpec spec = healthy_fragment({5, 20, 21, 40});
    spec.blocks[0].wb_size = wrong;
    CAPTURE(wrong);
    const Walked walked(spec);
    CHECK_FALSE(walked.fragment.old_wb_size);
    CHECK(walked.payloads() == payloads_of(spec));
    CHECK(walked.damage() == Lines{"block 5: wrong block length"});
  }
}

TEST_CASE("fragment walk: several wrong lengths, also one behind the other", "[unit][pure]") {
  FragmentSpec spec = healthy_fragment({0, 1, 2, 3, 4});
  for (const std::size_t index : {1U, 2U, 4U}) spec.blocks[index].wb_size = -5;
  const Walked walked(spec);
  CHECK(walked.payloads() == payloads_of(spec));
  CHECK(walked.damage() == Lines{"block 1: wrong block length", "block 2: wrong block length",
                                 "block 4: wrong block length"});
}

TEST_CASE("fragment walk: a wrong length of a short block is found on the packet grid",
          "[unit][pure]") {
  FragmentSpec spec = healthy_fragment({0, 1, 2, 3});
  spec.blocks[1].payload = vdif_frames(10, 6);
  for (const std::int32_t wrong : {6 * 1032, 5 * 1032 + 8, 7 * 1032 + 8, 10328, -1, 99'999'999}) {
    spec.blocks[1].wb_size = wrong;
    CAPTURE(wrong);
    const Walked walked(spec);
    CHECK(walked.payloads() == payloads_of(spec));
    CHECK(walked.damage() == Lines{"block 1: wrong block length"});
  }
}

TEST_CASE("fragment walk: payloads of small numbers are not taken for block headers",
          "[unit][pure]") {
  // In front of each frame stand two small numbers, as in a block header.
  FragmentSpec spec = healthy_fragment({0, 1, 2, 3, 4});
  for (BlockSpec& block : spec.blocks) {
    ByteVector payload;
    for (std::uint32_t i = 0; i < (block.number == 2 ? 6U : 10U); ++i) {
      ByteVector frame = first_bytes(vdif_frame(i), 32);
      while (frame.size() < 1032) append_le32(frame, static_cast<std::uint32_t>(block.number) + 90);
      append(payload, frame);
    }
    block.payload = payload;
  }
  for (const std::int32_t wrong : {6 * 1032 + 16, 5 * 1032 + 8, 7 * 1032 + 8, 0}) {
    auto damaged = spec;
    damaged.blocks[2].wb_size = wrong;
    CAPTURE(wrong);
    const Walked walked(damaged);
    CHECK(walked.payloads() == payloads_of(spec));
    CHECK(walked.damage() == Lines{"block 2: wrong block length"});
  }
}

TEST_CASE("fragment walk: wrong lengths one behind the other in packets of unknown kind",
          "[unit][pure]") {
  FragmentSpec spec = healthy_fragment({0, 1, 2, 3, 4});
  for (BlockSpec& block : spec.blocks) {
    block.payload = noise(10320, static_cast<std::uint32_t>(block.number) + 80);
    if (block.number == 2 || block.number == 3) block.wb_size = 1'000'000;
  }
  const Walked walked(spec);
  CHECK(walked.payloads() == payloads_of(spec));
  CHECK(walked.damage() == Lines{"block 2: wrong block length", "block 3: wrong block length"});
}

TEST_CASE("fragment walk: a cut block of one packet has no whole one", "[unit][pure]") {
  FragmentSpec spec = healthy_fragment({0, 1});
  spec.packet_size = 10320;
  for (BlockSpec& block : spec.blocks) block.payload = noise(10320, 4);
  const Walked walked(cut(fragment_bytes(spec), 1));
  CHECK(walked.numbers() == Numbers{0});
  CHECK(walked.damage() == Lines{"last block 1 cut, 0 of 10320 bytes usable"});
}

TEST_CASE("fragment walk: a wrong length of a short last block", "[unit][pure]") {
  FragmentSpec spec = healthy_fragment({0, 1});
  spec.blocks[1].payload = vdif_frames(10, 6);
  for (const std::int32_t wrong : {6 * 1032, 5 * 1032 + 8, -1, 99'999'999}) {
    spec.blocks[1].wb_size = wrong;
    CAPTURE(wrong);
    const Walked walked(spec);
    CHECK(walked.payloads() == payloads_of(spec));
    CHECK(walked.damage() == Lines{"block 1: wrong block length"});
  }
}

TEST_CASE("fragment walk: a wrong length in packets of unknown kind", "[unit][pure]") {
  FragmentSpec spec = healthy_fragment({0, 1, 2, 3, 4, 5});
  spec.packet_size = 0;
  for (BlockSpec& block : spec.blocks) {
    block.payload = noise(10320, static_cast<std::uint32_t>(block.number) + 50);
  }
  for (const std::size_t index : {0U, 2U, 5U}) {
    auto damaged = spec;
    damaged.blocks[index].wb_size = 10320;
    CAPTURE(index);
    CHECK(Walked(damaged).payloads() == payloads_of(spec));
    CHECK(Walked(damaged).damage() == Lines{fmt::format("block {}: wrong block length", index)});
  }
}

TEST_CASE("fragment walk: a wrong length where no block is as long as the header says",
          "[unit][pure]") {
  FragmentSpec spec = healthy_fragment({0, 1, 2, 3});
  spec.block_size = 10'000'000;
  for (const std::size_t index : {0U, 1U, 3U}) {
    auto damaged = spec;
    damaged.blocks[index].wb_size = -20;
    CAPTURE(index);
    CHECK(Walked(damaged).payloads() == payloads_of(spec));
    CHECK(Walked(damaged).damage() == Lines{fmt::format("block {}: wrong block length", index)});
  }
}

TEST_CASE("fragment walk: a destroyed header costs its block and no other", "[unit][pure]") {
  const FragmentSpec spec = healthy_fragment({3, 10, 11, 12, 13});
  for (const std::size_t index : {0U, 1U, 3U}) {
    for (const std::byte with : {std::byte{0xff}, std::byte{0}}) {
      ByteVector bytes = fragment_bytes(spec);
      overwrite(bytes, block_offset(spec, index), 8, with);
      CAPTURE(index, static_cast<int>(with));
      const Walked walked(bytes);
      if (with == std::byte{0} && walked.numbers().size() == 5) {
        // Number 0 with a wrong length is believed in where it may stand: no byte is lost then.
        CHECK(walked.payloads() == payloads_of(spec));
      } else {
        CHECK(walked.payloads() == without(payloads_of(spec), index));
        CHECK(walked.damage() == Lines{fmt::format("10328 bytes at offset {} belong to no block",
                                                   block_offset(spec, index))});
      }
    }
  }
}

TEST_CASE("fragment walk: a number far off costs its block and no other", "[unit][pure]") {
  for (const std::size_t index : {0U, 2U, 4U}) {
    FragmentSpec spec = healthy_fragment({3, 10, 11, 12, 13});
    spec.blocks[index].number = 0x40000003;
    CAPTURE(index);
    const Walked walked(spec);
    CHECK(walked.payloads() == without(payloads_of(spec), index));
    CHECK(walked.damage() == Lines{fmt::format("10328 bytes at offset {} belong to no block",
                                               block_offset(spec, index))});
  }
}

TEST_CASE("fragment walk: a recording appended to another one is walked through", "[unit][pure]") {
  const Walked walked(healthy_fragment({3'000'000, 3'000'004, 1, 5}));
  CHECK(walked.numbers() == Numbers{3'000'000, 3'000'004, 1, 5});
  CHECK(walked.damage() == Lines{"block 1: out of order"});
}

TEST_CASE("fragment walk: a stretch overwritten with zeros is passed over", "[unit][pure]") {
  const FragmentSpec spec = healthy_fragment({0, 1, 2, 3, 4, 5});
  ByteVector bytes = fragment_bytes(spec);
  // From the middle of block 2 into the middle of block 3: two sectors gone.
  overwrite(bytes, block_offset(spec, 2) + 4000, 10328, std::byte{0});
  const Walked walked(bytes);
  CHECK(walked.numbers() == Numbers{0, 1, 2, 4, 5});
  CHECK(walked.damage() ==
        Lines{fmt::format("10328 bytes at offset {} belong to no block", block_offset(spec, 3))});
}

TEST_CASE("fragment walk: bytes missing in mid-file cost only the block they are of",
          "[unit][pure]") {
  const FragmentSpec spec = healthy_fragment({0, 1, 2, 3});
  ByteVector bytes = fragment_bytes(spec);
  const auto at = bytes.begin() + static_cast<std::ptrdiff_t>(block_offset(spec, 1)) + 5000;
  bytes.erase(at, at + 1111);
  const Walked walked(bytes);
  CHECK(walked.numbers() == Numbers{0, 1, 2, 3});
  CHECK(walked.payloads()[2] == spec.blocks[2].payload);
  CHECK(walked.payloads()[3] == spec.blocks[3].payload);
  CHECK(walked.damage() ==
        Lines{"block 1: wrong block length",
              fmt::format("{} bytes at offset {} belong to no block", 10320U - 1111U - 8U * 1032U,
                          block_offset(spec, 1) + 8 + 8256)});
}

TEST_CASE("fragment walk: zeros behind the last block are lost bytes", "[unit][pure]") {
  const FragmentSpec spec = healthy_fragment({7, 8});
  ByteVector bytes = fragment_bytes(spec);
  bytes.resize(bytes.size() + 50'000);
  const Walked walked(bytes);
  CHECK(walked.payloads() == payloads_of(spec));
  CHECK(walked.damage() ==
        Lines{fmt::format("50000 bytes at offset {} belong to no block", bytes.size() - 50'000)});
}

TEST_CASE("fragment walk: numbers that do not ascend are told once per place", "[unit][pure]") {
  const Walked walked(healthy_fragment({5, 3, 4, 4, 9}));
  CHECK(walked.numbers() == Numbers{5, 3, 4, 4, 9});
  CHECK(walked.damage() == Lines{"block 3: out of order", "block 4: out of order"});
}

TEST_CASE("fragment walk: a wrong block size does not matter to version 2", "[unit][pure]") {
  FragmentSpec spec = healthy_fragment({0, 1, 2});
  spec.blocks[1].payload = vdif_frames(0, 2);
  for (const std::int32_t wrong : {0, 8, -1, INT32_MIN, INT32_MAX}) {
    spec.block_size = wrong;
    const Walked walked(spec);
    CHECK(walked.payloads() == payloads_of(spec));
    CHECK(walked.damage() == Lines{fmt::format("wrong block size in the file header: {}", wrong)});
  }
}

TEST_CASE("fragment walk: without a block size version 1 cannot be walked", "[unit][pure]") {
  FragmentSpec spec = healthy_fragment({0, 1});
  spec.version = 1;
  spec.block_size = -1;
  const Walked walked(spec);
  CHECK(walked.numbers().empty());
  CHECK(walked.damage() ==
        Lines{"wrong block size in the file header: -1",
              fmt::format("{} bytes at offset 20 belong to no block", walked.bytes.size() - 20)});
}

TEST_CASE("fragment walk: a read error ends the walk and keeps what was found", "[unit][pure]") {
  const FragmentSpec spec = healthy_fragment({0, 1, 2, 3});
  MemorySource source(fragment_bytes(spec));
  source.fail_at(block_offset(spec, 2) + 4);
  const auto fragment = mark6::sg::walk_fragment(source);
  CHECK(fragment.blocks.size() == 2);
  REQUIRE(fragment.damage.size() == 1);
  CHECK(describe(fragment.damage[0]) == fmt::format("read error at offset {}: cannot read: bad "
                                                    "sector",
                                                    block_offset(spec, 2)));
}

TEST_CASE("fragment walk: a file that cannot be read at all is of unknown kind", "[unit][pure]") {
  MemorySource source(fragment_bytes(healthy_fragment({0})));
  source.fail_at(0);
  const auto fragment = mark6::sg::walk_fragment(source);
  CHECK(fragment.kind == mark6::sg::FragmentKind::kUnknown);
  REQUIRE(fragment.damage.size() == 1);
  CHECK(fragment.damage[0].kind == mark6::sg::DamageKind::kIoError);
}
