// SPDX-License-Identifier: MIT
#include "common/sg/block_search.hpp"

#include <algorithm>
#include <array>

namespace mark6::sg {

BlockSearch::BlockSearch(const GridFragment& fragment, BlockNumber target)
    : target_(target.value),
      high_(fragment.blocks - 1),
      low_number_(fragment.first.value),
      high_number_(fragment.last) {
  if (fragment.first >= target) {
    high_ = 0;
    high_number_ = fragment.first;
  } else if (fragment.last < target) {
    low_ = fragment.blocks - 1;
    high_ = fragment.blocks;
    high_number_ = std::nullopt;
  }
}

std::optional<std::uint32_t> BlockSearch::wanted() const {
  if (high_ - low_ <= 1) return std::nullopt;
  // Every third step halves, so that uneven placement costs log2 steps at worst.
  if (steps_ % 3 == 2) return low_ + (high_ - low_) / 2;
  const std::int64_t numbers = high_number_->value - low_number_;
  const std::int64_t guess = low_ + (target_ - low_number_) * (high_ - low_) / numbers;
  return static_cast<std::uint32_t>(std::clamp<std::int64_t>(guess, low_ + 1, high_ - 1));
}

bool BlockSearch::learn(BlockNumber number) {
  const std::uint32_t place = *wanted();
  ++steps_;
  if (number.value <= low_number_ || number >= *high_number_) return false;
  if (number.value < target_) {
    low_ = place;
    low_number_ = number.value;
  } else {
    high_ = place;
    high_number_ = number;
  }
  return true;
}

Result<std::optional<std::uint32_t>> find_block(ByteSource& source, const GridFragment& fragment,
                                                BlockNumber number) {
  BlockSearch search(fragment, number);
  while (const auto place = search.wanted()) {
    std::array<std::byte, kBlockHeaderBytesV2> bytes{};
    const auto got = source.read_at(fragment.payload_offset(*place) - kBlockHeaderBytesV2, bytes);
    if (!got) return Failure(got.error());
    const auto header = parse_block_header(Bytes(bytes).first(*got), 2);
    if (!header || !search.learn(BlockNumber(header->number))) {
      return failure(ErrorCode::kBadFormat, "", "block numbers that do not ascend");
    }
  }
  if (search.number() != number) return std::nullopt;
  return search.place();
}

}  // namespace mark6::sg
