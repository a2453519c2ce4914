// SPDX-License-Identifier: MIT
// The walk of fragments as recorders write them: each block is found where it is, whatever its
// payload holds, with one small read per block. Damage is in fragment_walk_damage_test.cpp.
#include "common/sg/fragment_walk.hpp"

#include <catch2/catch.hpp>

#include "tests/support/walked.hpp"

using namespace mark6::test;
using mark6::sg::FragmentKind;

TEST_CASE("fragment walk: all blocks of a healthy fragment are found", "[unit][pure]") {
  const FragmentSpec spec = healthy_fragment({0, 3, 7, 8});
  const Walked walked(spec);
  CHECK(walked.fragment.kind == FragmentKind::kScatterGather);
  CHECK(walked.fragment.header == mark6::sg::FileHeader{2, 10328, 0, 1032});
  CHECK(walked.fragment.packet_size == 1032);
  CHECK_FALSE(walked.fragment.old_wb_size);
  CHECK(walked.numbers() == Numbers{0, 3, 7, 8});
  CHECK(walked.payloads() == payloads_of(spec));
  CHECK(walked.damage().empty());
}

TEST_CASE("fragment walk: a healthy fragment costs one small read per block", "[unit][pure]") {
  Numbers numbers;
  for (std::int32_t n = 0; n < 200; ++n) numbers.push_back(4 * n);
  MemorySource source(fragment_bytes(healthy_fragment(numbers)));
  CHECK(mark6::sg::walk_fragment(source).blocks.size() == 200);
  CHECK(source.reads() <= 200 + 4);
  CHECK(source.bytes_read() <= source.reads() * 72);
}

TEST_CASE("fragment walk: short blocks may stand anywhere", "[unit][pure]") {
  FragmentSpec spec = healthy_fragment({1, 2, 3, 4, 5});
  for (const std::size_t index : {0U, 2U, 4U}) {
    spec.blocks[index].payload = vdif_frames(0, static_cast<std::uint32_t>(index) + 1);
  }
  const Walked walked(spec);
  CHECK(walked.payloads() == payloads_of(spec));
  CHECK(walked.damage().empty());
}

TEST_CASE("fragment walk: one block, or one frame, is a fragment", "[unit][pure]") {
  FragmentSpec spec = healthy_fragment({12});
  CHECK(Walked(spec).payloads() == payloads_of(spec));
  spec.blocks[0].payload = vdif_frame(0);
  const Walked walked(spec);
  CHECK(walked.payloads() == payloads_of(spec));
  CHECK(walked.damage().empty());
}

TEST_CASE("fragment walk: a file header without blocks is a fragment without blocks",
          "[unit][pure]") {
  const Walked walked(healthy_fragment({}));
  CHECK(walked.fragment.kind == FragmentKind::kScatterGather);
  CHECK(walked.numbers().empty());
  CHECK(walked.damage().empty());
}

TEST_CASE("fragment walk: version 1 blocks stand block_size apart", "[unit][pure]") {
  FragmentSpec spec = healthy_fragment({0, 2, 5});
  spec.version = 1;
  spec.block_size = 10324;
  SECTION("the last one is full") {}
  SECTION("the last one is short") { spec.blocks.back().payload = vdif_frames(0, 3); }
  const Walked walked(spec);
  CHECK(walked.numbers() == Numbers{0, 2, 5});
  CHECK(walked.payloads() == payloads_of(spec));
  CHECK(walked.damage().empty());
}

TEST_CASE("fragment walk: the block size of the header may be larger than any block",
          "[unit][pure]") {
  FragmentSpec spec = healthy_fragment({0, 1, 2});
  spec.block_size = 10'000'000;
  const Walked walked(spec);
  CHECK(walked.payloads() == payloads_of(spec));
  CHECK(walked.damage().empty());
}

TEST_CASE("fragment walk: an old writer counts only the payload in wb_size", "[unit][pure]") {
  FragmentSpec spec = healthy_fragment({0, 1, 2});
  spec.old_wb_size = true;
  SECTION("full blocks") {}
  SECTION("a short first block") { spec.blocks[0].payload = vdif_frames(0, 4); }
  SECTION("one block") { spec.blocks.resize(1); }
  SECTION("packets of unknown kind and size") {
    spec.packet_size = 0;
    for (BlockSpec& block : spec.blocks) block.payload = noise(5000, 7);
  }
  const Walked walked(spec);
  CHECK(walked.fragment.old_wb_size);
  CHECK(walked.payloads() == payloads_of(spec));
  CHECK(walked.damage().empty());
}

TEST_CASE("fragment walk: a missing packet size is recovered from the frames", "[unit][pure]") {
  FragmentSpec spec = healthy_fragment({0, 1});
  spec.packet_size = 0;
  std::uint32_t size = 1032;
  SECTION("VDIF") {}
  SECTION("VDIF, one frame per block") {
    for (BlockSpec& block : spec.blocks) block.payload = vdif_frame(1);
  }
  SECTION("a fill packet first, which says 32 bytes too many") {
    ByteVector payload = vdif_frame(0, {.invalid = true, .length_excess = 32});
    append(payload, vdif_frames(1, 9));
    spec.blocks[0].payload = payload;
  }
  SECTION("Mark5B") {
    size = 10016;
    for (BlockSpec& block : spec.blocks) block.payload = mark5b_frames(2);
    spec.block_size = 2 * 10016 + 8;
  }
  SECTION("version 1") {
    spec.version = 1;
    spec.block_size = 10324;
  }
  SECTION("negative in the header") { spec.packet_size = -1032; }
  const Walked walked(spec);
  CHECK(walked.fragment.packet_size == size);
  CHECK(walked.payloads() == payloads_of(spec));
  CHECK(walked.damage().empty());
}

TEST_CASE("fragment walk: the packet size stays unknown where nothing tells it", "[unit][pure]") {
  FragmentSpec spec = healthy_fragment({0, 1, 2});
  spec.packet_size = 0;
  for (BlockSpec& block : spec.blocks) {
    block.payload = noise(1001 + static_cast<std::size_t>(block.number), 3);
  }
  const Walked walked(spec);
  CHECK(walked.fragment.packet_size == 0);
  CHECK(walked.payloads() == payloads_of(spec));
  CHECK(walked.damage().empty());
}

TEST_CASE("fragment walk: one writer calls the payload of a block one packet", "[unit][pure]") {
  FragmentSpec spec = healthy_fragment({0, 1, 2});
  spec.packet_size = 10320;
  SECTION("the frames tell their true size") {
    spec.blocks[1].payload = vdif_frames(0, 3);
    CHECK(Walked(spec).fragment.packet_size == 1032);
  }
  SECTION("frames of unknown kind do not, and a short block is healthy all the same") {
    for (BlockSpec& block : spec.blocks) block.payload = noise(10320, 5);
    spec.blocks[1].payload = noise(777, 6);
    spec.blocks[2].payload = noise(778, 6);
    CHECK(Walked(spec).fragment.packet_size == 10320);
  }
  CHECK(Walked(spec).payloads() == payloads_of(spec));
  CHECK(Walked(spec).damage().empty());
}

TEST_CASE("fragment walk: what a payload holds never breaks a healthy chain", "[unit][pure]") {
  FragmentSpec spec = healthy_fragment({10, 11, 12, 13});
  const auto fill = [&](const ByteVector& with) {
    for (BlockSpec& block : spec.blocks) {
      while (block.payload.size() > 10320 - with.size()) block.payload.pop_back();
      while (block.payload.size() < 10320) append(block.payload, with);
      block.payload.resize(10320);
    }
  };
  SECTION("noise") {
    for (BlockSpec& block : spec.blocks) block.payload = noise(10320, 11);
  }
  SECTION("zeros") {
    for (BlockSpec& block : spec.blocks) block.payload.assign(10320, std::byte{0});
  }
  SECTION("a fill packet first") {
    for (BlockSpec& block : spec.blocks) {
      block.payload = vdif_frame(0, {.invalid = true, .length_excess = 32});
      append(block.payload, vdif_frames(1, 9));
    }
  }
  SECTION("bytes that look like block headers, all over") {
    ByteVector header;
    append_le32(header, 12);
    append_le32(header, 10328);
    for (BlockSpec& block : spec.blocks) block.payload.clear();
    fill(header);
  }
  SECTION("bytes that look like a block header with a frame behind, in each payload") {
    ByteVector header;
    append_le32(header, 12);
    append_le32(header, 10328);
    append(header, vdif_frame(0));
    for (BlockSpec& block : spec.blocks) {
      std::copy(header.begin(), header.end(), block.payload.begin() + 2064);
    }
  }
  SECTION("a file header with blocks") {
    const ByteVector inner = fragment_bytes(healthy_fragment({11}));
    for (BlockSpec& block : spec.blocks) {
      std::copy(inner.begin(), inner.begin() + 8000, block.payload.begin());
    }
  }
  const Walked walked(spec);
  CHECK(walked.numbers() == Numbers{10, 11, 12, 13});
  CHECK(walked.payloads() == payloads_of(spec));
  CHECK(walked.damage().empty());
}

TEST_CASE("fragment walk: numbers may begin anywhere and have gaps", "[unit][pure]") {
  const FragmentSpec spec = healthy_fragment({1'000'000, 1'000'007, 2'000'000, 2'000'001});
  CHECK(Walked(spec).payloads() == payloads_of(spec));
  CHECK(Walked(spec).damage().empty());
  CHECK(Walked(healthy_fragment({INT32_MAX - 1, INT32_MAX})).damage().empty());
}

TEST_CASE("fragment walk: frames without a Mark6 header are a plain file", "[unit][pure]") {
  const auto kind_of = [](const ByteVector& bytes) { return Walked(bytes).fragment.kind; };
  CHECK(kind_of(vdif_frames(0, 2)) == FragmentKind::kPlain);
  CHECK(kind_of(vdif_frames(0, 1)) == FragmentKind::kPlain);
  CHECK(kind_of(mark5b_frames(2)) == FragmentKind::kPlain);
  CHECK(Walked(vdif_frames(0, 3)).fragment.packet_size == 1032);
  CHECK(Walked(vdif_frames(0, 3)).damage().empty());

  ByteVector cut = vdif_frames(0, 1);
  cut.resize(1031);
  CHECK(kind_of(cut) == FragmentKind::kUnknown);
  ByteVector frame_and_noise = vdif_frame(0);
  append(frame_and_noise, noise(5000, 1));
  CHECK(kind_of(frame_and_noise) == FragmentKind::kUnknown);
}

TEST_CASE("fragment walk: less than a file header is an empty fragment", "[unit][pure]") {
  for (const std::size_t size : {0U, 1U, 19U}) {
    const Walked walked(noise(size, 2));
    CHECK(walked.fragment.kind == FragmentKind::kEmpty);
    CHECK(walked.damage() == Lines{"empty fragment"});
  }
}

TEST_CASE("fragment walk: a wrong sync word makes a file of unknown kind", "[unit][pure]") {
  FragmentSpec spec = healthy_fragment({0, 1});
  SECTION("sync word") {
    spec.sync_word ^= 1;
    CHECK(Walked(spec).damage() == Lines{"no Mark6 header"});
  }
  SECTION("version") {
    spec.version = 3;
    CHECK(Walked(spec).damage() == Lines{"no Mark6 header: version 3"});
  }
  CHECK(Walked(spec).fragment.kind == FragmentKind::kUnknown);
  CHECK(Walked(spec).numbers().empty());
}
