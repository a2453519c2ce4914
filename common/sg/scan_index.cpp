// SPDX-License-Identifier: MIT
// The merge: extents are made unsorted, one per block, sorted by number (ties by fragment and file
// offset, which is just the order of `place`), thinned of duplicates, and given their scan offsets.
#include "common/sg/scan_index.hpp"

#include <algorithm>
#include <array>
#include <cassert>
#include <utility>

namespace mark6::sg {

static_assert(sizeof(Extent) == 24, "there may be millions of them");

namespace {

constexpr std::size_t kMaxFragments = 65535;
constexpr std::uint64_t kPlainExtentBytes = std::uint64_t{8} << 20;
constexpr std::uint64_t kPlaceBytes = std::uint64_t{1} << 48;

std::uint64_t place_of(std::size_t fragment, FileOffset offset) {
  return (static_cast<std::uint64_t>(fragment) << 48) | offset.value;
}

/// What the fragments of one recording have in common; 0 where a fragment cannot tell.
struct Shape {
  std::int32_t version = 0;
  std::int32_t block_size = 0;
  std::uint32_t packet_size = 0;
  bool operator==(const Shape&) const = default;

  [[nodiscard]] bool agrees_with(const Shape& other) const {
    const auto same = [](auto a, auto b) { return a == b || a == 0 || b == 0; };
    return same(version, other.version) && same(block_size, other.block_size) &&
           same(packet_size, other.packet_size);
  }
};

Shape shape_of(const Fragment& fragment) {
  const bool bad_block_size =
      std::any_of(fragment.damage.begin(), fragment.damage.end(),
                  [](const Damage& d) { return d.kind == DamageKind::kBadBlockSize; });
  return {fragment.header.version, bad_block_size ? 0 : fragment.header.block_size,
          fragment.packet_size};
}

struct Vote {
  Shape shape;
  std::size_t fragments = 0;
  std::uint64_t blocks = 0;
};

/// The shape that most fragments with blocks have; of two equals the one with more blocks, then
/// the one met first.
Shape majority(const std::vector<Fragment>& fragments) {
  std::vector<Vote> votes;
  for (const Fragment& fragment : fragments) {
    if (fragment.kind != FragmentKind::kScatterGather || fragment.blocks.empty()) continue;
    const Shape shape = shape_of(fragment);
    auto vote =
        std::find_if(votes.begin(), votes.end(), [&](const Vote& v) { return v.shape == shape; });
    if (vote == votes.end()) vote = votes.insert(votes.end(), Vote{shape});
    ++vote->fragments;
    vote->blocks += fragment.blocks.size();
  }
  const auto fewer = [](const Vote& a, const Vote& b) {
    return std::pair(a.fragments, a.blocks) < std::pair(b.fragments, b.blocks);
  };
  const auto best = std::max_element(votes.begin(), votes.end(), fewer);
  return best == votes.end() ? Shape{} : best->shape;
}

FragmentUse use_of(const Fragment& fragment, const Shape& shape, bool take_all) {
  switch (fragment.kind) {
    case FragmentKind::kEmpty:
      return FragmentUse::kEmpty;
    case FragmentKind::kScatterGather:
      if (take_all || shape_of(fragment).agrees_with(shape)) return FragmentUse::kUsed;
      return FragmentUse::kDisagrees;
    case FragmentKind::kPlain:
    case FragmentKind::kUnknown:
      break;
  }
  const bool unreadable =
      std::any_of(fragment.damage.begin(), fragment.damage.end(),
                  [](const Damage& d) { return d.kind == DamageKind::kIoError; });
  return unreadable ? FragmentUse::kUnreadable : FragmentUse::kNotScatterGather;
}

bool is_scatter_gather(const Fragment& fragment) {
  return fragment.kind == FragmentKind::kScatterGather;
}

bool is_plain(const Fragment& fragment) { return fragment.kind == FragmentKind::kPlain; }

/// Extents of a plain file: pieces of a size that suits reading.
void append_plain(std::size_t index, std::uint64_t file_bytes, std::vector<Extent>& extents) {
  const std::uint64_t size = std::min(file_bytes, kPlaceBytes);
  std::int32_t number = 0;
  for (std::uint64_t at = 0; at < size; at += kPlainExtentBytes) {
    extents.push_back({ScanOffset(at), place_of(index, FileOffset(at)),
                       static_cast<std::uint32_t>(std::min(kPlainExtentBytes, size - at)),
                       BlockNumber(number++)});
  }
}

void append_blocks(std::size_t index, const Fragment& fragment, std::vector<Extent>& extents) {
  for (const BlockPlace& block : fragment.blocks) {
    extents.push_back(
        {ScanOffset(0), place_of(index, block.payload_offset), block.payload_bytes, block.number});
  }
}

bool by_number_then_place(const Extent& a, const Extent& b) {
  return std::pair(a.number, a.place) < std::pair(b.number, b.place);
}

}  // namespace

std::string_view to_string(ScanState state) {
  switch (state) {
    case ScanState::kComplete:
      return "complete";
    case ScanState::kHoles:
      return "holes";
    case ScanState::kDamaged:
      return "damaged";
  }
  return "unknown";
}

ScanIndex ScanIndex::merge(std::vector<Fragment> fragments, bool take_all) {
  ScanIndex index;
  const Shape shape = majority(fragments);
  const bool plain_scan = std::none_of(fragments.begin(), fragments.end(), is_scatter_gather) &&
                          std::count_if(fragments.begin(), fragments.end(), is_plain) == 1;
  index.fragments_.reserve(fragments.size());
  for (std::size_t i = 0; i < fragments.size(); ++i) {
    Fragment& fragment = fragments[i];
    FragmentUse use = use_of(fragment, shape, take_all);
    if (plain_scan && is_plain(fragment)) use = FragmentUse::kUsed;
    if (i >= kMaxFragments) use = FragmentUse::kUnreadable;
    if (use == FragmentUse::kUsed) {
      if (index.packet_size_ == 0) index.packet_size_ = fragment.packet_size;
      if (plain_scan) append_plain(i, fragment.file_bytes, index.extents_);
      append_blocks(i, fragment, index.extents_);
    }
    index.fragments_.push_back({.use = use,
                                .kind = fragment.kind,
                                .header = fragment.header,
                                .file_bytes = fragment.file_bytes,
                                .damage = std::move(fragment.damage),
                                .damage_count = fragment.damage_count});
    fragment.blocks = {};  // the extents have them now: never both for all fragments
  }
  std::sort(index.extents_.begin(), index.extents_.end(), by_number_then_place);
  index.drop_duplicates();
  index.lay_out();
  return index;
}

void ScanIndex::drop_duplicates() {
  std::size_t kept = 0;
  for (const Extent& extent : extents_) {
    if (kept == 0 || extents_[kept - 1].number != extent.number) {
      extents_[kept++] = extent;
      continue;
    }
    ++duplicate_count_;
    if (duplicates_.size() >= kMaxDamage) continue;
    const Extent& first = extents_[kept - 1];
    duplicates_.push_back({extent.number, first.fragment(), extent.fragment(), first.file_offset(),
                           extent.file_offset(), first.length, extent.length});
  }
  extents_.resize(kept);
  extents_.shrink_to_fit();
}

void ScanIndex::lay_out() {
  const Extent* before = nullptr;
  for (Extent& extent : extents_) {
    if (before != nullptr && extent.number.value - before->number.value > 1) {
      missing_.push_back(
          {BlockNumber(before->number.value + 1), BlockNumber(extent.number.value - 1)});
    }
    extent.scan_offset = ScanOffset(size_bytes_);
    size_bytes_ += extent.length;
    largest_extent_bytes_ = std::max(largest_extent_bytes_, extent.length);
    FragmentSummary& summary = fragments_[extent.fragment().value];
    ++summary.blocks;
    summary.payload_bytes += extent.length;
    before = &extent;
  }
}

ScanIndex ScanIndex::from_grid(BlockGrid grid, const std::vector<std::uint64_t>& file_bytes,
                               std::vector<FragmentIndex> fragment_of_grid) {
  ScanIndex index;
  index.size_bytes_ = grid.size_bytes();
  index.largest_extent_bytes_ = grid.full_payload_bytes();
  const FileHeader header = grid.fragments().front().header;
  index.packet_size_ = static_cast<std::uint32_t>(header.packet_size);
  for (const std::uint64_t bytes : file_bytes) {
    index.fragments_.push_back(
        {.kind = FragmentKind::kScatterGather, .header = header, .file_bytes = bytes});
  }
  for (std::size_t i = 0; i < grid.fragments().size(); ++i) {
    const GridFragment& fragment = grid.fragments()[i];
    FragmentSummary& summary = index.fragments_[fragment_of_grid[i].value];
    summary.blocks = fragment.blocks;
    summary.payload_bytes =
        fragment.file_bytes - kFileHeaderBytes - fragment.blocks * kBlockHeaderBytesV2;
  }
  index.grid_ = std::move(grid);
  index.grid_fragments_ = std::move(fragment_of_grid);
  return index;
}

Extent ScanIndex::block(std::size_t i) const {
  if (!grid_) return extents_[i];
  return {.scan_offset = grid_->offset_of(i),
          .length = grid_->length_of(i),
          .number = grid_->number_of(i)};
}

std::size_t ScanIndex::find(ScanOffset offset) const {
  if (offset.value >= size_bytes_) return block_count();
  if (grid_) return grid_->find(offset);
  const auto behind = std::upper_bound(
      extents_.begin(), extents_.end(), offset,
      [](ScanOffset wanted, const Extent& extent) { return wanted < extent.scan_offset; });
  return static_cast<std::size_t>(behind - extents_.begin()) - 1;
}

std::uint64_t ScanIndex::missing_blocks() const {
  std::uint64_t blocks = 0;
  for (const BlockRange& range : missing_) blocks += range.count();
  return blocks;
}

ScanState ScanIndex::state() const {
  const bool damaged = duplicate_count_ > 0 ||
                       std::any_of(fragments_.begin(), fragments_.end(), [](const auto& fragment) {
                         return fragment.damage_count > 0 || fragment.use != FragmentUse::kUsed;
                       });
  if (damaged) return ScanState::kDamaged;
  return missing_.empty() ? ScanState::kComplete : ScanState::kHoles;
}

}  // namespace mark6::sg
