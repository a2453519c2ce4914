// SPDX-License-Identifier: MIT
// The walk of one fragment: whatever the bytes are, blocks lie one behind the other inside the
// file; and where a naive walk finds nothing wrong, ours finds the same. The first three bytes say
// whether a read fails and where, or whether the file ends in a hole.
#include "common/sg/fragment_walk.hpp"

#include "tests/fuzz/input.hpp"
#include "tests/fuzz/naive_walk.hpp"
#include "tests/support/recording.hpp"

using namespace mark6;
using mark6::fuzz::expect;

namespace {

void check(const sg::Fragment& fragment, std::uint64_t size) {
  std::uint64_t end = sg::kFileHeaderBytes;
  for (const sg::BlockPlace& block : fragment.blocks) {
    expect(block.payload_bytes > 0 && block.number.value >= 0, "a block has bytes and a number");
    expect(block.payload_offset.value >= end + 4, "a block header fits before the payload");
    end = block.payload_offset.value + block.payload_bytes;
    expect(end <= size, "a block ends inside the file");
  }
  expect(fragment.damage.size() <= sg::kMaxDamage, "no more damage is listed than the cap");
  expect(fragment.damage.size() <= fragment.damage_count, "what is listed is counted");
  for (const sg::Damage& damage : fragment.damage) {
    expect(!describe(damage).empty() && damage.offset.value <= size, "damage is in the file");
  }
}

}  // namespace

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  fuzz::Input input(data, size);
  const std::uint32_t flags = input.byte();
  const std::uint32_t where = input.u16();
  const Bytes file = input.rest();
  const std::uint64_t hole_bytes = flags % 4 == 2 ? where : 0;
  test::MemorySource source(test::ByteVector(file.begin(), file.end()), file.size() + hole_bytes);
  if (flags % 4 == 1) source.fail_at(where);
  const sg::Fragment fragment = sg::walk_fragment(source);
  check(fragment, source.size());
  if (flags % 4 == 1 || hole_bytes > 0) return 0;
  if (const auto naive = fuzz::naive_walk(file)) {
    expect(fragment.blocks == *naive, "the blocks of a healthy file are those of a naive walk");
    expect(fragment.damage_count == 0 && !fragment.old_wb_size, "a healthy file is not damaged");
  }
  return 0;
}
