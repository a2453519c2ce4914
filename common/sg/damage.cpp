// SPDX-License-Identifier: MIT
// The words for what is wrong with a fragment. Operators and the project's cases know these lines:
// change them only together.
#include <fmt/format.h>

#include "common/sg/fragment_walk.hpp"

namespace mark6::sg {
namespace {

/// "block 20: ", or nothing where the number is not known.
std::string block_prefix(const Damage& damage) {
  return damage.block ? fmt::format("block {}: ", damage.block->value) : std::string();
}

std::string sentence(const Damage& damage) {
  const std::uint64_t offset = damage.offset.value;
  switch (damage.kind) {
    case DamageKind::kEmptyFragment:
      return "empty fragment";
    case DamageKind::kNoHeader:
      return "no Mark6 header";
    case DamageKind::kTruncatedBlock:
      return fmt::format("last block {} cut, {} of {} bytes usable",
                         damage.block.value_or(BlockNumber(-1)).value, damage.bytes,
                         damage.of_bytes);
    case DamageKind::kTrailingBytes:
      return fmt::format("{} bytes left over at the end", damage.bytes);
    case DamageKind::kWrongLength:
      return block_prefix(damage) + "wrong block length";
    case DamageKind::kLostBytes:
      return fmt::format("{} bytes at offset {} belong to no block", damage.bytes, offset);
    case DamageKind::kOutOfOrder:
      return block_prefix(damage) + "out of order";
    case DamageKind::kBadBlockSize:
      return "wrong block size in the file header";
    case DamageKind::kIoError:
      return fmt::format("read error at offset {}", offset);
  }
  return "unknown damage";
}

}  // namespace

std::string describe(const Damage& damage) {
  if (damage.detail.empty()) return sentence(damage);
  return sentence(damage) + ": " + damage.detail;
}

}  // namespace mark6::sg
