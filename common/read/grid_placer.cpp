// SPDX-License-Identifier: MIT
#include "common/read/grid_placer.hpp"

#include <algorithm>

namespace mark6 {

GridPlacer::GridPlacer(const sg::ScanIndex& index)
    : index_(index), grid_(*index.grid()), cursors_(grid_.fragments().size()) {}

void GridPlacer::seek(std::size_t block) {
  ++generation_;
  for (std::size_t i = 0; i < cursors_.size(); ++i) {
    const sg::GridFragment& fragment = grid_.fragments()[i];
    if (block == 0) {
      cursors_[i] = {State::kKnown, 0, fragment.first};
    } else {
      cursors_[i] = {State::kWanted, 0, grid_.number_of(block)};
    }
  }
}

BlockNumber GridPlacer::begin_search(std::size_t fragment) {
  cursors_[fragment].state = State::kSearching;
  return cursors_[fragment].number;
}

void GridPlacer::found(std::size_t fragment, std::uint32_t place,
                       std::optional<BlockNumber> number) {
  cursors_[fragment] = number ? Cursor{State::kKnown, place, *number}
                              : Cursor{State::kExhausted, place, BlockNumber(0)};
}

std::optional<std::size_t> GridPlacer::block(std::size_t fragment) const {
  const Cursor& cursor = cursors_[fragment];
  if (cursor.state != State::kKnown) return std::nullopt;
  return static_cast<std::size_t>(cursor.number.value - grid_.first().value);
}

sg::Extent GridPlacer::extent(std::size_t fragment) const {
  const Cursor& cursor = cursors_[fragment];
  sg::Extent extent = index_.block(*block(fragment));
  extent.place = sg::Extent::place_of(index_.fragment_of_grid(fragment),
                                      grid_.fragments()[fragment].payload_offset(cursor.place));
  return extent;
}

bool GridPlacer::has_next(std::size_t fragment) const {
  return cursors_[fragment].place + 1 < grid_.fragments()[fragment].blocks;
}

bool GridPlacer::learn_next(std::size_t fragment, std::uint32_t place,
                            std::optional<sg::BlockHeader> header) {
  Cursor& cursor = cursors_[fragment];
  if (cursor.state != State::kKnown || cursor.place != place) return true;  // of an earlier window
  const sg::GridFragment& of = grid_.fragments()[fragment];
  if (!has_next(fragment)) {
    cursor.state = State::kExhausted;
    return true;
  }
  const std::uint64_t length = of.payload_bytes(place + 1) + sg::kBlockHeaderBytesV2;
  if (!header || header->number <= cursor.number.value || header->number > of.last.value ||
      header->wb_size <= 0 || static_cast<std::uint64_t>(header->wb_size) != length) {
    return false;
  }
  cursor.place = place + 1;
  cursor.number = BlockNumber(header->number);
  return true;
}

void GridPlacer::lose(std::size_t fragment, std::size_t next_block) {
  Cursor& cursor = cursors_[fragment];
  if (cursor.state != State::kKnown) return;
  if (!has_next(fragment)) {
    cursor.state = State::kExhausted;
  } else {
    cursor.number = std::max(BlockNumber(cursor.number.value + 1), grid_.number_of(next_block));
    cursor.state = State::kWanted;
  }
}

bool GridPlacer::may_come_to(std::size_t block) const {
  const BlockNumber number = grid_.number_of(block);
  return std::any_of(cursors_.begin(), cursors_.end(), [number](const Cursor& cursor) {
    return cursor.state != State::kExhausted && cursor.number <= number;
  });
}

}  // namespace mark6
