// SPDX-License-Identifier: MIT
#include "common/sg/walk_state.hpp"

#include <utility>

namespace mark6::sg {

void add_damage(Fragment& fragment, Damage damage) {
  ++fragment.damage_count;
  if (fragment.damage.size() < kMaxDamage) {
    fragment.damage.push_back(std::move(damage));
  } else if (fragment.damage_count == kMaxDamage + 1) {
    Damage& last = fragment.damage.back();
    last.detail += last.detail.empty() ? "" : "; ";
    last.detail += "more damage follows, which is counted but not listed";
  }
}

void WalkState::keep(std::int32_t number, std::uint64_t payload_offset,
                     std::uint64_t payload_bytes) {
  if (payload_bytes == 0) return;
  if (last_number && number <= *last_number) {
    add_damage(fragment, {.kind = DamageKind::kOutOfOrder,
                          .offset = FileOffset(payload_offset),
                          .block = BlockNumber(number)});
  }
  fragment.blocks.push_back(
      {FileOffset(payload_offset), static_cast<std::uint32_t>(payload_bytes), BlockNumber(number)});
  last_number = number;
}

void WalkState::lose(std::uint64_t from, std::uint64_t to) {
  if (from >= to) return;
  add_damage(fragment,
             {.kind = DamageKind::kLostBytes, .offset = FileOffset(from), .bytes = to - from});
}

void WalkState::keep_truncated(std::int32_t number, std::uint64_t payload_offset,
                               std::uint64_t usable, std::uint64_t of_bytes) {
  keep(number, payload_offset, usable);
  add_damage(fragment, {.kind = DamageKind::kTruncatedBlock,
                        .offset = FileOffset(payload_offset),
                        .block = BlockNumber(number),
                        .bytes = usable,
                        .of_bytes = of_bytes});
}

bool WalkState::gives_up(std::uint64_t at) {
  if (fragment.blocks.size() < kMaxBlocks && fragment.damage_count < kMaxTroubles) return false;
  lose(at, reader.size());
  return true;
}

std::uint64_t WalkState::usable_of_cut(std::uint64_t bytes) const {
  return fragment.packet_size == 0 ? bytes : bytes - bytes % fragment.packet_size;
}

std::uint64_t WalkState::whole_packets(std::uint64_t bytes) const {
  return packet_unit == 0 ? bytes : bytes - bytes % packet_unit;
}

}  // namespace mark6::sg
