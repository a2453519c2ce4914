// SPDX-License-Identifier: MIT
#include "common/catalog/block_places.hpp"

#include <algorithm>

#include "common/sg/block_search.hpp"

namespace mark6 {
namespace {

/// A file of an opened scan, which is shared and constant, as a source.
class SharedFile final : public ByteSource {
 public:
  explicit SharedFile(const DataFile& file) : file_(file) {}
  [[nodiscard]] std::uint64_t size() const override { return file_.size(); }
  Result<std::size_t> read_at(FileOffset offset, MutableBytes into) override {
    return file_.read_some_at(offset, into);
  }

 private:
  const DataFile& file_;
};

/// The block at `place` of the grid's fragment `fragment`, which has this `number`.
sg::Extent extent_of(const sg::ScanIndex& index, std::size_t fragment, std::uint32_t place,
                     BlockNumber number) {
  const sg::BlockGrid& grid = *index.grid();
  sg::Extent extent =
      index.block(static_cast<std::size_t>(std::int64_t{number.value} - grid.first().value));
  extent.place = sg::Extent::place_of(index.fragment_of_grid(fragment),
                                      grid.fragments()[fragment].payload_offset(place));
  return extent;
}

/// The blocks at one end of each of the grid's fragments.
std::vector<sg::Extent> ends_of_grid(const sg::ScanIndex& index, bool last) {
  std::vector<sg::Extent> ends;
  const auto& fragments = index.grid()->fragments();
  for (std::size_t i = 0; i < fragments.size(); ++i) {
    const sg::GridFragment& fragment = fragments[i];
    if (fragment.blocks == 0) continue;
    ends.push_back(last ? extent_of(index, i, fragment.blocks - 1, fragment.last)
                        : extent_of(index, i, 0, fragment.first));
  }
  std::sort(ends.begin(), ends.end(), [last](const sg::Extent& a, const sg::Extent& b) {
    return last ? a.number > b.number : a.number < b.number;
  });
  return ends;
}

}  // namespace

std::vector<sg::Extent> first_blocks(const sg::ScanIndex& index, std::size_t most) {
  std::vector<sg::Extent> blocks;
  if (index.grid() != nullptr) {
    blocks = ends_of_grid(index, false);
  } else {
    blocks.assign(index.extents().begin(), index.extents().end());
  }
  blocks.resize(std::min(blocks.size(), most));
  return blocks;
}

std::vector<sg::Extent> last_blocks(const sg::ScanIndex& index, std::size_t most) {
  std::vector<sg::Extent> blocks;
  if (index.grid() != nullptr) {
    blocks = ends_of_grid(index, true);
  } else {
    const auto extents = index.extents();
    const std::size_t count = std::min(extents.size(), most);
    for (std::size_t i = 0; i < count; ++i) blocks.push_back(extents[extents.size() - 1 - i]);
  }
  blocks.resize(std::min(blocks.size(), most));
  return blocks;
}

std::optional<sg::Extent> find_place(const OpenedScan& scan, std::size_t i) {
  const sg::ScanIndex& index = scan.index;
  if (i >= index.block_count()) return std::nullopt;
  if (index.grid() == nullptr) return index.extents()[i];
  const BlockNumber number = index.block(i).number;
  const auto& fragments = index.grid()->fragments();
  for (std::size_t f = 0; f < fragments.size(); ++f) {
    const auto& file = scan.files[index.fragment_of_grid(f).value];
    if (!file || number < fragments[f].first || number > fragments[f].last) continue;
    SharedFile source(*file);
    const auto place = sg::find_block(source, fragments[f], number);
    if (place && *place) return extent_of(index, f, **place, number);
  }
  return std::nullopt;
}

}  // namespace mark6
