// SPDX-License-Identifier: MIT
#include "common/sg/block_grid.hpp"

#include <algorithm>
#include <array>
#include <limits>

namespace mark6::sg {
namespace {

constexpr auto kHeader = static_cast<std::uint32_t>(kBlockHeaderBytesV2);

/// Looks at block headers of one fragment on a grid of blocks of `block_bytes`.
class GridProbe {
 public:
  explicit GridProbe(ByteSource& source) : source_(source) {}

  std::optional<GridFragment> run();

 private:
  std::optional<BlockHeader> header_at(std::uint64_t offset);
  [[nodiscard]] bool fits(const BlockHeader& header, std::int64_t least_number) const;
  std::optional<BlockHeader> fitting(std::uint64_t offset, std::int64_t least_number);
  bool begin();
  bool ends_here();
  bool step_over_short();

  ByteSource& source_;
  GridFragment grid_;
  std::uint32_t block_bytes_ = 0;
  std::uint64_t run_offset_ = kFileHeaderBytes;  ///< where the present run of full blocks begins
  std::int64_t run_number_ = 0;                  ///< the least number its first block may have
};

std::optional<BlockHeader> GridProbe::header_at(std::uint64_t offset) {
  std::array<std::byte, kHeader> bytes{};
  const auto got = source_.read_at(FileOffset(offset), bytes);
  if (!got || *got < bytes.size()) return std::nullopt;
  return parse_block_header(bytes, 2);
}

bool GridProbe::fits(const BlockHeader& header, std::int64_t least_number) const {
  return header.number >= least_number && header.wb_size > static_cast<std::int32_t>(kHeader) &&
         static_cast<std::uint32_t>(header.wb_size) <= block_bytes_ &&
         (header.wb_size - static_cast<std::int32_t>(kHeader)) % grid_.header.packet_size == 0;
}

std::optional<BlockHeader> GridProbe::fitting(std::uint64_t offset, std::int64_t least_number) {
  const auto header = header_at(offset);
  return header && fits(*header, least_number) ? header : std::nullopt;
}

/// The file header and the first block, which is taken to be full.
bool GridProbe::begin() {
  std::array<std::byte, kFileHeaderBytes + kHeader> bytes{};
  const auto got = source_.read_at(FileOffset(0), bytes);
  if (!got || *got < bytes.size()) return false;
  const auto header = parse_file_header(bytes);
  if (!header || header->version != 2 || header->packet_size <= 0) return false;
  grid_.header = *header;
  grid_.file_bytes = source_.size();
  if (!worth_a_grid(*header, grid_.file_bytes)) return false;
  const auto first = parse_block_header(Bytes(bytes).subspan(kFileHeaderBytes), 2);
  // A header may name the size before it was rounded down to whole packets.
  if (!first || first->wb_size < static_cast<std::int32_t>(kMinGridBlockBytes) ||
      first->wb_size > header->block_size) {
    return false;
  }
  block_bytes_ = static_cast<std::uint32_t>(first->wb_size);
  grid_.full_payload_bytes = block_bytes_ - kHeader;
  grid_.first = BlockNumber(first->number);
  run_number_ = first->number;
  return fits(*first, 0);
}

/// Whether the last block begins where it must, if no more short blocks come: then all is known.
bool GridProbe::ends_here() {
  const std::uint64_t left = grid_.file_bytes - run_offset_;
  const std::uint64_t blocks = (left + block_bytes_ - 1) / block_bytes_;
  const std::uint64_t last_offset = run_offset_ + (blocks - 1) * block_bytes_;
  const auto last = fitting(last_offset, run_number_ + static_cast<std::int64_t>(blocks) - 1);
  if (!last || static_cast<std::uint64_t>(last->wb_size) != grid_.file_bytes - last_offset) {
    return false;
  }
  grid_.blocks += static_cast<std::uint32_t>(blocks);
  grid_.last = BlockNumber(last->number);
  const auto payload = static_cast<std::uint32_t>(last->wb_size) - kHeader;
  if (payload != grid_.full_payload_bytes) {
    grid_.shorts.push_back({grid_.blocks - 1, grid_.last, payload});
  }
  return true;
}

/// Finds the next short block by bisection: before it headers are on the grid, behind it off.
bool GridProbe::step_over_short() {
  const std::uint64_t left = grid_.file_bytes - run_offset_;
  std::uint64_t on = 0;
  std::uint64_t off = (left + block_bytes_ - 1) / block_bytes_;
  auto found = fitting(run_offset_, run_number_);
  if (!found) return false;
  while (off - on > 1) {
    const std::uint64_t middle = on + (off - on) / 2;
    const auto header = fitting(run_offset_ + middle * block_bytes_,
                                run_number_ + static_cast<std::int64_t>(middle));
    (header ? on : off) = middle;
    if (header) found = header;
  }
  const auto payload = static_cast<std::uint32_t>(found->wb_size) - kHeader;
  if (payload == grid_.full_payload_bytes) return false;  // full, and no header behind it
  grid_.blocks += static_cast<std::uint32_t>(on);
  grid_.shorts.push_back({grid_.blocks, BlockNumber(found->number), payload});
  grid_.blocks += 1;
  run_offset_ += on * block_bytes_ + static_cast<std::uint64_t>(found->wb_size);
  run_number_ = std::int64_t{found->number} + 1;
  return run_offset_ < grid_.file_bytes;
}

std::optional<GridFragment> GridProbe::run() {
  if (!begin()) return std::nullopt;
  while (!ends_here()) {
    if (grid_.shorts.size() == kMaxShortBlocks || !step_over_short()) return std::nullopt;
  }
  return std::move(grid_);
}

}  // namespace

FileOffset GridFragment::payload_offset(std::uint32_t place) const {
  std::uint64_t offset =
      kFileHeaderBytes + std::uint64_t{place} * (full_payload_bytes + kHeader) + kHeader;
  for (const ShortBlock& block : shorts) {
    if (block.place < place) offset -= full_payload_bytes - block.payload_bytes;
  }
  return FileOffset(offset);
}

std::uint32_t GridFragment::payload_bytes(std::uint32_t place) const {
  for (const ShortBlock& block : shorts) {
    if (block.place == place) return block.payload_bytes;
  }
  return full_payload_bytes;
}

bool worth_a_grid(const FileHeader& header, std::uint64_t file_bytes) {
  constexpr std::uint64_t kMaxFragmentBytes = std::uint64_t{1} << 48;
  return header.block_size >= static_cast<std::int32_t>(kMinGridBlockBytes) &&
         file_bytes / static_cast<std::uint64_t>(header.block_size) >= kMinGridBlocks &&
         file_bytes < kMaxFragmentBytes;
}

std::optional<GridFragment> probe_grid(ByteSource& source) { return GridProbe(source).run(); }

std::optional<BlockGrid> BlockGrid::prove(std::vector<GridFragment> fragments) {
  if (fragments.empty()) return std::nullopt;
  const GridFragment& model = fragments.front();
  std::int64_t first = std::numeric_limits<std::int64_t>::max();
  std::int64_t last = -1;
  std::int64_t blocks = 0;
  BlockGrid grid;
  for (const GridFragment& fragment : fragments) {
    if (fragment.header != model.header ||
        fragment.full_payload_bytes != model.full_payload_bytes ||
        std::int64_t{fragment.last.value} - fragment.first.value + 1 < fragment.blocks) {
      return std::nullopt;
    }
    first = std::min<std::int64_t>(first, fragment.first.value);
    last = std::max<std::int64_t>(last, fragment.last.value);
    blocks += fragment.blocks;
  }
  if (blocks != last - first + 1) return std::nullopt;
  for (const GridFragment& fragment : fragments) {
    for (const ShortBlock& block : fragment.shorts) {
      grid.shorts_.push_back(
          {static_cast<std::size_t>(block.number.value - first), block.payload_bytes, 0});
    }
  }
  std::sort(grid.shorts_.begin(), grid.shorts_.end(),
            [](const Shortfall& a, const Shortfall& b) { return a.block < b.block; });
  std::uint64_t lacking = 0;
  for (Shortfall& block : grid.shorts_) {
    lacking += model.full_payload_bytes - block.payload_bytes;
    block.lacking_bytes = lacking;
  }
  grid.payload_bytes_ = model.full_payload_bytes;
  grid.count_ = static_cast<std::size_t>(blocks);
  grid.first_ = BlockNumber(static_cast<std::int32_t>(first));
  grid.fragments_ = std::move(fragments);
  return grid;
}

ScanOffset BlockGrid::offset_of(std::size_t i) const {
  const auto behind =
      std::lower_bound(shorts_.begin(), shorts_.end(), i,
                       [](const Shortfall& block, std::size_t at) { return block.block < at; });
  const std::uint64_t lacking = behind == shorts_.begin() ? 0 : std::prev(behind)->lacking_bytes;
  return ScanOffset(std::uint64_t{i} * payload_bytes_ - lacking);
}

std::uint32_t BlockGrid::length_of(std::size_t i) const {
  return static_cast<std::uint32_t>(offset_of(i + 1) - offset_of(i));
}

std::size_t BlockGrid::find(ScanOffset offset) const {
  if (offset.value >= size_bytes()) return count_;
  // The last short block that ends at or before `offset`: behind it the grid is regular.
  const auto behind = std::upper_bound(
      shorts_.begin(), shorts_.end(), offset,
      [this](ScanOffset at, const Shortfall& block) { return at < offset_of(block.block + 1); });
  if (behind == shorts_.begin()) return offset.value / payload_bytes_;
  const std::size_t next = std::prev(behind)->block + 1;
  return next + (offset - offset_of(next)) / payload_bytes_;
}

}  // namespace mark6::sg
