// SPDX-License-Identifier: MIT
// The index without a walk: recordings of large blocks, of which only the headers exist. What is
// proven of a healthy one must be what was laid down. A broken one may be proven or not (its
// headers are checked while they are read), but no search in it may go astray.
#include "common/sg/block_grid.hpp"

#include <algorithm>
#include <array>
#include <iterator>
#include <map>

#include "common/sg/block_search.hpp"
#include "common/sg/scan_index.hpp"
#include "tests/fuzz/input.hpp"

using namespace mark6;
using mark6::fuzz::expect;

namespace {

constexpr std::uint32_t kPacketBytes = 8192;

struct Block {
  std::int32_t number = 0;
  std::uint32_t payload_bytes = 0;
};

/// A fragment whose payloads are zero: headers by the offset at which they begin.
class HeaderSource final : public ByteSource {
 public:
  HeaderSource(const sg::FileHeader& header, const std::vector<Block>& blocks) {
    sg::store_file_header(header, headers_[0]);
    size_ = sg::kFileHeaderBytes;
    for (const Block& block : blocks) {
      const auto length = static_cast<std::int32_t>(block.payload_bytes + 8);
      sg::store_block_header({block.number, length}, 2, headers_[size_]);
      size_ += block.payload_bytes + 8;
    }
  }

  [[nodiscard]] std::uint64_t size() const override { return size_; }
  Result<std::size_t> read_at(FileOffset offset, MutableBytes into) override {
    if (offset.value >= size_) return std::size_t{0};
    into = into.first(
        static_cast<std::size_t>(std::min<std::uint64_t>(into.size(), size_ - offset.value)));
    std::fill(into.begin(), into.end(), std::byte{0});
    auto header = headers_.upper_bound(offset.value);
    if (header != headers_.begin()) --header;
    for (; header != headers_.end() && header->first < offset.value + into.size(); ++header) {
      const std::uint64_t bytes = header->first == 0 ? sg::kFileHeaderBytes : 8;
      for (std::uint64_t i = 0; i < bytes; ++i) {
        const std::uint64_t at = header->first + i;
        if (at >= offset.value && at - offset.value < into.size()) {
          into[at - offset.value] = header->second[i];
        }
      }
    }
    return into.size();
  }

  /// Overwrites a byte of a block header.
  void change(std::uint32_t which, std::uint32_t byte, std::byte value) {
    auto header = headers_.begin();
    std::advance(header, which % headers_.size());
    header->second[byte % (header->first == 0 ? sg::kFileHeaderBytes : 8)] = value;
  }

 private:
  std::map<std::uint64_t, std::array<std::byte, sg::kFileHeaderBytes>> headers_;
  std::uint64_t size_ = 0;
};

struct Recording {
  sg::FileHeader header;
  std::vector<std::vector<Block>> disks;
  std::vector<Block> blocks;
  bool missing = false;
};

Recording make(fuzz::Input& input) {
  Recording recording;
  const std::uint32_t per_block = 128 + input.below(4);
  recording.header = {.version = 2,
                      .block_size = static_cast<std::int32_t>(per_block * kPacketBytes + 8),
                      .packet_format = 0,
                      .packet_size = kPacketBytes};
  const std::uint32_t disks = 1 + input.below(4);
  const std::uint32_t count = 66 * disks + input.below(20);
  const std::uint32_t policy = input.below(3);
  auto number = static_cast<std::int32_t>(input.u32() % (1U << 30U));
  recording.disks.resize(disks);
  for (std::uint32_t i = 0; i < count; ++i, ++number) {
    const std::uint32_t way = input.byte();
    if (way == 255 && i > 0 && i + 1 < count) {
      recording.missing = true;
      ++number;
    }
    const bool is_short = way > 246 && way < 255;
    const std::uint32_t packets = is_short ? 1 + input.below(per_block) : per_block;
    const Block block{number, packets * kPacketBytes};
    std::uint32_t disk = i % disks;
    if (policy == 1) disk = i * disks / count;
    if (policy == 2) disk = (way / 8) % disks;
    recording.disks[disk].push_back(block);
    recording.blocks.push_back(block);
  }
  return recording;
}

/// Every block of the fragment is found where it is, and no other.
void check_search(HeaderSource& source, const sg::GridFragment& grid,
                  const std::vector<Block>& blocks) {
  expect(grid.blocks == blocks.size(), "as many blocks as were written");
  for (std::uint32_t place = 0; place < grid.blocks; place += 1 + place / 4) {
    const BlockNumber number(blocks[place].number);
    const auto found = find_block(source, grid, number);
    expect(found && *found == place, "a block is found at its place");
    expect(grid.payload_bytes(place) == blocks[place].payload_bytes, "its length");
    const bool gap = place + 1 < grid.blocks && blocks[place + 1].number > number.value + 1;
    if (!gap) continue;
    const auto other = find_block(source, grid, BlockNumber(number.value + 1));
    expect(other && !*other, "a block of another disk is not found");
  }
}

void check_scan(const sg::BlockGrid& grid, const Recording& recording) {
  expect(!recording.missing, "a scan with missing blocks is not proven");
  expect(grid.block_count() == recording.blocks.size(), "as many blocks as were written");
  std::uint64_t at = 0;
  for (std::size_t i = 0; i < recording.blocks.size(); ++i) {
    const Block& block = recording.blocks[i];
    expect(grid.number_of(i).value == block.number, "number");
    expect(grid.offset_of(i).value == at && grid.length_of(i) == block.payload_bytes, "offset");
    expect(grid.find(ScanOffset(at)) == i, "a block is found by its first byte");
    at += block.payload_bytes;
    expect(grid.find(ScanOffset(at - 1)) == i, "a block is found by its last byte");
  }
  expect(grid.size_bytes() == at, "the size of the scan");
}

/// Any headers: places stay inside the fragment.
void check_broken(HeaderSource& source, fuzz::Input& input) {
  const auto grid = sg::probe_grid(source);
  if (!grid) return;
  for (int searches = 0; searches < 4; ++searches) {
    const auto found = find_block(source, *grid, BlockNumber(input.i32()));
    if (!found || !*found) continue;
    const std::uint64_t at = grid->payload_offset(**found).value;
    expect(at + grid->payload_bytes(**found) <= source.size(), "a block lies in its file");
  }
  std::vector<sg::GridFragment> one{*grid};
  if (const auto scan = sg::BlockGrid::prove(std::move(one))) {
    expect(scan->find(ScanOffset(scan->size_bytes())) == scan->block_count(), "the end");
  }
}

}  // namespace

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  fuzz::Input input(data, size);
  const Recording recording = make(input);
  std::vector<HeaderSource> sources;
  std::vector<sg::GridFragment> grids;
  for (const auto& blocks : recording.disks) {
    sources.emplace_back(recording.header, blocks);
    auto grid = sg::probe_grid(sources.back());
    if (!grid) continue;
    check_search(sources.back(), *grid, blocks);
    grids.push_back(std::move(*grid));
  }
  if (grids.size() == recording.disks.size()) {
    if (const auto grid = sg::BlockGrid::prove(std::move(grids))) check_scan(*grid, recording);
  }
  for (int changes = 0; changes < 8 && !input.empty(); ++changes) {
    HeaderSource& source = sources[input.below(static_cast<std::uint32_t>(sources.size()))];
    const std::uint32_t which = input.byte();
    source.change(which, input.byte(), static_cast<std::byte>(input.byte()));
    check_broken(source, input);
  }
  return 0;
}
