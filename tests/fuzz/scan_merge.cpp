// SPDX-License-Identifier: MIT
// Whole recordings, shaped by the fuzzer's bytes: the merged index against a naive sort of all
// blocks that were written. Then some bytes are changed, and the index must still be sound.
#include <algorithm>
#include <map>

#include "common/sg/scan_index.hpp"
#include "tests/fuzz/input.hpp"
#include "tests/support/recording.hpp"

using namespace mark6;
using mark6::fuzz::expect;

namespace {

struct Recording {
  std::vector<test::FragmentSpec> fragments;
  std::map<std::int32_t, test::ByteVector> written;  ///< of a number written twice, the first
  std::uint64_t duplicates = 0;
};

/// Frames, noise, or the fuzzer's own bytes again and again: in a healthy file it never matters.
test::ByteVector payload(fuzz::Input& input, std::uint32_t kind, std::uint32_t packet,
                         std::uint32_t packets) {
  if (kind == 0) return test::vdif_frames(input.byte(), packets, {.bytes = packet});
  const Bytes rest = input.rest();
  if (kind == 1 || rest.empty()) return test::noise(std::size_t{packet} * packets, input.byte());
  test::ByteVector bytes(std::size_t{packet} * packets);
  for (std::size_t i = 0; i < bytes.size(); ++i) bytes[i] = rest[i % rest.size()];
  return bytes;
}

Recording make(fuzz::Input& input) {
  Recording recording;
  test::FragmentSpec shape;
  shape.version = input.one_in(4) ? 1 : 2;
  shape.packet_size = static_cast<std::int32_t>(40 + 8 * input.below(12));
  shape.old_wb_size = shape.version == 2 && input.one_in(6);
  // The payload of an old writer tells what wb_size means, so it cannot be just anything.
  const std::uint32_t kind = input.below(shape.old_wb_size ? 2 : 3);
  const std::uint32_t per_block = 2 + input.below(4);
  shape.block_size =
      shape.packet_size * static_cast<std::int32_t>(per_block) + (shape.version == 1 ? 4 : 8);
  const std::uint32_t disks = 1 + input.below(6);
  const std::uint32_t blocks = input.below(24);
  auto number = static_cast<std::int32_t>(input.u32() % (1U << 30U));
  std::vector<test::FragmentSpec>& fragments = recording.fragments;
  fragments.assign(disks, shape);
  for (std::uint32_t i = 0; i < blocks; ++i, ++number) {
    const std::uint32_t way = input.byte();
    if (way % 8 == 1) number += 1 + 100 * static_cast<std::int32_t>(input.byte());  // lost ones
    const bool is_short = shape.version == 2 && way % 8 == 2;
    const std::uint32_t packets = is_short ? 1 + input.below(per_block) : per_block;
    const test::BlockSpec block{
        number, payload(input, kind, static_cast<std::uint32_t>(shape.packet_size), packets)};
    const std::uint32_t disk = input.below(disks);
    if (way % 8 == 3 && disk + 1 < disks) {
      fragments[disk + 1].blocks.push_back(block);  // on two disks, with other bytes
      for (std::byte& b : fragments[disk + 1].blocks.back().payload) b ^= std::byte{1};
      ++recording.duplicates;
    }
    fragments[disk].blocks.push_back(block);
    recording.written.emplace(number, block.payload);
  }
  return recording;
}

sg::ScanIndex index_of(const std::vector<test::ByteVector>& files) {
  std::vector<sg::Fragment> fragments;
  for (const test::ByteVector& file : files) {
    test::MemorySource source(file);
    fragments.push_back(sg::walk_fragment(source));
  }
  return sg::ScanIndex::merge(std::move(fragments));
}

/// What holds for any index: no gaps in the flat scan, ascending numbers, places inside the files.
void check_sound(const sg::ScanIndex& index, const std::vector<test::ByteVector>& files) {
  std::uint64_t at = 0;
  std::uint64_t lost = 0;
  for (std::size_t i = 0; i < index.block_count(); ++i) {
    const sg::Extent extent = index.block(i);
    expect(extent.scan_offset.value == at && extent.length > 0, "no gaps in the flat scan");
    expect(index.find(extent.scan_offset) == i && index.find(extent.scan_end() - 1) == i,
           "a block is found by its first and last byte");
    expect(extent.file_offset().value + extent.length <= files[extent.fragment().value].size(),
           "a block lies in its file");
    if (i > 0) {
      const std::int32_t before = index.block(i - 1).number.value;
      expect(before < extent.number.value, "numbers ascend");
      lost += static_cast<std::uint64_t>(extent.number.value - before - 1);
    }
    at += extent.length;
  }
  expect(index.size_bytes() == at && index.find(ScanOffset(at)) == index.block_count(), "the end");
  expect(index.missing_blocks() == lost, "every number is there or missing");
}

void check_against_sort(const sg::ScanIndex& index, const Recording& recording,
                        const std::vector<test::ByteVector>& files) {
  expect(index.block_count() == recording.written.size(), "as many blocks as were written");
  expect(index.duplicate_count() == recording.duplicates, "duplicates are counted");
  std::size_t i = 0;
  for (const auto& [number, bytes] : recording.written) {
    const sg::Extent extent = index.block(i++);
    expect(extent.number.value == number && extent.length == bytes.size(), "number and length");
    const test::ByteVector& file = files[extent.fragment().value];
    expect(std::equal(bytes.begin(), bytes.end(),
                      file.begin() + static_cast<std::ptrdiff_t>(extent.file_offset().value)),
           "the bytes of a block are those that were written");
  }
  for (const sg::FragmentSummary& fragment : index.fragments()) {
    expect(fragment.damage_count == 0, "a healthy fragment is not damaged");
  }
}

void change(fuzz::Input& input, std::vector<test::ByteVector>& files) {
  for (int changes = 0; changes < 16 && !input.empty(); ++changes) {
    test::ByteVector& file = files[input.below(static_cast<std::uint32_t>(files.size()))];
    const std::size_t at = input.u16() % file.size();
    if (input.one_in(8)) {
      file.resize(std::max<std::size_t>(at, 1));
    } else {
      file[at] = static_cast<std::byte>(input.byte());
    }
  }
}

}  // namespace

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  fuzz::Input input(data, size);
  const Recording recording = make(input);
  std::vector<test::ByteVector> files;
  for (const test::FragmentSpec& spec : recording.fragments) files.push_back(fragment_bytes(spec));
  const sg::ScanIndex index = index_of(files);
  check_sound(index, files);
  check_against_sort(index, recording, files);
  if (input.empty()) return 0;
  change(input, files);
  check_sound(index_of(files), files);
  return 0;
}
