// SPDX-License-Identifier: MIT
// Which blocks of a fragment that grows are complete.
#include "common/sg/fragment_tail.hpp"

#include <catch2/catch.hpp>

#include "tests/support/walked.hpp"

using namespace mark6::test;
using mark6::sg::FragmentTail;

namespace {

constexpr std::size_t kBlockBytes = 8 + 10 * 1032;

/// What `tail` has found when the file has its first `size` bytes.
std::size_t blocks_at(FragmentTail& tail, const ByteVector& bytes, std::size_t size,
                      bool settled = false) {
  const auto end = bytes.begin() + static_cast<std::ptrdiff_t>(size);
  MemorySource source(ByteVector(bytes.begin(), end));
  REQUIRE(tail.look(source, settled));
  return tail.blocks().size();
}

}  // namespace

TEST_CASE("fragment tail: a block is complete when the next header is there", "[unit][pure]") {
  const ByteVector bytes = fragment_bytes(healthy_fragment({0, 3, 7}));
  FragmentTail tail;
  for (std::size_t size = 0; size <= bytes.size(); size += 4) {
    const std::size_t begun = size < 20 + 8 ? 0 : (size - 20 - 8) / kBlockBytes;
    REQUIRE(blocks_at(tail, bytes, size) == begun);
  }
  CHECK(tail.end() == 20 + 2 * kBlockBytes);
  CHECK(blocks_at(tail, bytes, bytes.size(), true) == 3);
  CHECK(tail.blocks() == Walked(bytes).fragment.blocks);
}

TEST_CASE("fragment tail: a torn block is not complete however long it lies", "[unit][pure]") {
  const ByteVector bytes = fragment_bytes(healthy_fragment({0, 3}));
  FragmentTail tail;
  CHECK(blocks_at(tail, bytes, bytes.size() - 1, true) == 1);
}

TEST_CASE("fragment tail: reserved space of zeros holds no block", "[unit][pure]") {
  ByteVector bytes = fragment_bytes(healthy_fragment({0, 3}));
  const std::size_t written = bytes.size() - 500;  // the rest of block 3 is still to be written
  std::fill(bytes.begin() + static_cast<std::ptrdiff_t>(written), bytes.end(), std::byte{0});
  bytes.resize(bytes.size() + 3 * kBlockBytes);
  FragmentTail tail;
  CHECK(blocks_at(tail, bytes, bytes.size(), true) == 1);
}

TEST_CASE("fragment tail: half a header is looked at again", "[unit][pure]") {
  const ByteVector whole = fragment_bytes(healthy_fragment({0, 3, 7}));
  ByteVector half = whole;
  for (std::size_t i = 4; i < 8; ++i) half[20 + kBlockBytes + i] = std::byte{0};  // its length
  FragmentTail tail;
  CHECK(blocks_at(tail, half, half.size()) == 0);
  CHECK(blocks_at(tail, whole, whole.size()) == 2);
}

TEST_CASE("fragment tail: an unreadable file is told", "[unit][pure]") {
  MemorySource source(fragment_bytes(healthy_fragment({0, 3})));
  source.fail_at(22);
  FragmentTail tail;
  CHECK_FALSE(tail.look(source, false));
}
