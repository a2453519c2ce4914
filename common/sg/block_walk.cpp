// SPDX-License-Identifier: MIT
#include "common/sg/block_walk.hpp"

#include <algorithm>
#include <array>

namespace mark6::sg {

BlockWalk::BlockWalk(WalkState& walk, std::int32_t block_size)
    : walk_(walk),
      judge_(walk, block_size),
      resync_(walk.reader, judge_, walk.packet_unit),
      block_size_(block_size) {
  walk_.fragment.old_wb_size = judge_.detect_old_writer();
}

void BlockWalk::run() {
  Offset at = kFileHeaderBytes;
  while (at < walk_.reader.size() && !walk_.gives_up(at)) {
    const auto block = judge_.look(at);
    if (!block) {
      if (!walk_.reader.error()) take_tail(at);
      return;
    }
    at = follows(block->number, walk_.last_number) ? take(*block) : skip(*block);
  }
}

BlockWalk::Offset BlockWalk::take(const Spot& block) {
  const Offset size = walk_.reader.size();
  if (const auto end = chained_end(block)) {
    keep(block, *end);
    return *end;
  }
  if (walk_.reader.error()) return size;
  if (is_truncated(block)) {
    walk_.keep_truncated(block.number, block.payload_at(),
                         walk_.usable_of_cut(size - block.payload_at()),
                         static_cast<std::uint64_t>(block.length) - kBlockHeaderBytesV2);
    return size;
  }
  if (const auto end = usual_end(block)) {
    report_wrong_length(block);
    keep(block, *end);
    return *end;
  }
  if (const auto end = overlong_end(block)) {
    judge_.allow_length(block.length);
    keep(block, *end);
    return *end;
  }
  return recover(block);
}

std::optional<BlockWalk::Offset> BlockWalk::chained_end(const Spot& block) {
  if (!judge_.length_fits(block.length)) return std::nullopt;
  const Offset size = walk_.reader.size();
  const Offset end = block.end();
  if (end == size) return end;
  if (end > size) return std::nullopt;
  const bool whole = judge_.is_whole_packets(block.length);
  const auto next = judge_.look(end);
  if (!next) {
    // Less than a header is left over, unless the length is wrong by just these bytes. At a read
    // error nothing speaks against the block.
    const bool usual_fits = block_size_ > 0 && size - block.at == static_cast<Offset>(block_size_);
    if (whole && (walk_.reader.error() || !usual_fits)) return end;
    return std::nullopt;
  }
  if (judge_.is_next(*next, block.number)) return end;
  // This block's length may be right although the header behind it is not: a wrong length there
  // is found out when its turn comes, and so is a number far off.
  if (whole && (is_next_with_wrong_length(*next, block.number) || judge_.is_sound(*next)) &&
      !nearer_header(block, end)) {
    return end;
  }
  return std::nullopt;
}

bool BlockWalk::is_next_with_wrong_length(const Spot& next, std::optional<std::int32_t> before) {
  if (!ascends(next.number, before)) return false;
  if (next.has_frame) return true;
  if (block_size_ == 0) return false;
  // Without frames to go by: full blocks that follow must lead back to the chain, though some of
  // their lengths may be wrong too.
  constexpr int kBlocksAhead = 4;
  std::int32_t number = next.number;
  Offset end = next.at;
  for (int ahead = 0; ahead < kBlocksAhead; ++ahead) {
    end += static_cast<Offset>(block_size_);
    if (end == walk_.reader.size()) return true;
    const auto after = judge_.look(end);
    if (!after || !ascends(after->number, number)) return false;
    if (judge_.is_next(*after, number)) return true;
    number = after->number;
  }
  return false;
}

bool BlockWalk::is_truncated(const Spot& block) const {
  if (!judge_.length_fits(block.length) || !judge_.is_whole_packets(block.length)) return false;
  // Without a block size to trust, a length may be anything up to the cap: believe the others.
  const bool usual = block_size_ > 0 || longest_ == 0 || block.length <= longest_;
  return usual && block.end() > walk_.reader.size();
}

std::optional<BlockWalk::Offset> BlockWalk::usual_end(const Spot& block) {
  for (const std::int64_t length : {block_size_, longest_}) {
    if (length == 0 || length == block.length) continue;
    const Offset end = block.at + static_cast<Offset>(length);
    if (is_sure_end(end, block.number)) return nearer_header(block, end).value_or(end);
  }
  return std::nullopt;
}

std::optional<BlockWalk::Offset> BlockWalk::nearer_header(const Spot& block, Offset end) {
  if (end >= walk_.reader.size()) return std::nullopt;
  const auto next = judge_.look(end);
  if (!next || judge_.is_certain(*next, block.number)) return std::nullopt;
  const auto hit = resync_.find(block.payload_at(), end, block.number, end - block.payload_at());
  return hit && *hit < end ? hit : std::nullopt;
}

bool BlockWalk::is_sure_end(Offset end, std::optional<std::int32_t> before) {
  const Offset size = walk_.reader.size();
  if (end >= size) return end == size;
  const auto next = judge_.look(end);
  if (!next) return !walk_.reader.error();  // the tail of the file
  return judge_.is_certain(*next, before) || is_next_with_wrong_length(*next, before);
}

std::optional<BlockWalk::Offset> BlockWalk::overlong_end(const Spot& block) {
  // Where no block size is known, a length may even be less than that of a block header.
  const std::int64_t least = std::max(block_size_, std::int64_t{kBlockHeaderBytesV2});
  if (block.length <= least || block.length > kMaxBlockBytes) return std::nullopt;
  if (!judge_.is_whole_packets(block.length) || !is_sure_end(block.end(), block.number)) {
    return std::nullopt;
  }
  return block.end();
}

BlockWalk::Offset BlockWalk::recover(const Spot& block) {
  const auto full = static_cast<Offset>(full_payload());
  const auto next = resync_.find(block.payload_at(), block.payload_at() + full, block.number);
  if (walk_.reader.error()) return walk_.reader.size();
  return keep_by_guess(block, next.value_or(walk_.reader.size()), next.has_value());
}

BlockWalk::Offset BlockWalk::keep_by_guess(const Spot& block, Offset end, bool found) {
  if (!found && !block.has_frame &&
      !(walk_.last_number && ascends(block.number, walk_.last_number))) {
    walk_.lose(block.at, end);  // nothing says that this is a block at all
    return end;
  }
  const auto full = static_cast<Offset>(full_payload());
  const Offset room = end - block.payload_at();
  const bool fills_room = found && room <= full && walk_.whole_packets(room) == room;
  const bool own_length_is_credible = judge_.length_fits(block.length) &&
                                      judge_.is_whole_packets(block.length) && block.end() <= end &&
                                      !judge_.is_frame(walk_.reader.peek(block.end()));
  if (own_length_is_credible && !fills_room) {
    keep(block, block.end());  // it is what stands behind it that is broken
    walk_.lose(block.end(), end);
    return end;
  }
  report_wrong_length(block);
  const Offset usable = fills_room ? room : walk_.whole_packets(std::min(room, full));
  if (!found && room < full && usable < room) {
    walk_.keep_truncated(block.number, block.payload_at(), usable, full);
    return end;
  }
  keep(block, block.payload_at() + usable);
  walk_.lose(block.payload_at() + usable, end);
  return end;
}

BlockWalk::Offset BlockWalk::skip(const Spot& block) {
  if (block.number >= 0 && judge_.leads_on(block) && block.end() < walk_.reader.size()) {
    if (walk_.fragment.blocks.size() == 1) {
      // Two agree against the first one: it was that one's number which was wrong.
      walk_.fragment.blocks.clear();
      walk_.lose(kFileHeaderBytes, block.at);
      walk_.last_number.reset();
    }
    return take(block);
  }
  const std::int64_t own = judge_.length_fits(block.length) ? block.length : 0;
  for (const std::int64_t length : {own, block_size_, longest_}) {
    const Offset end = block.at + static_cast<Offset>(length);
    if (length == 0 || !is_sure_end(end, walk_.last_number)) continue;
    walk_.lose(block.at, end);
    return end;
  }
  const auto next = resync_.find(block.at + 1, block.at + 1, walk_.last_number);
  const Offset end = next.value_or(walk_.reader.size());
  walk_.lose(block.at, end);
  return end;
}

void BlockWalk::take_tail(Offset at) {
  const Offset size = walk_.reader.size();
  const auto number = load_le_i32(walk_.reader.peek(at), 0);
  if (number && walk_.last_number && ascends(*number, walk_.last_number)) {
    walk_.keep_truncated(*number, size, 0, static_cast<Offset>(full_payload()));
    return;
  }
  add_damage(walk_.fragment,
             {.kind = DamageKind::kTrailingBytes, .offset = FileOffset(at), .bytes = size - at});
}

void BlockWalk::keep(const Spot& block, Offset end) {
  walk_.keep(block.number, block.payload_at(), end - block.payload_at());
  longest_ = std::max(longest_, static_cast<std::int64_t>(end - block.at));
}

void BlockWalk::report_wrong_length(const Spot& block) {
  add_damage(walk_.fragment, {.kind = DamageKind::kWrongLength,
                              .offset = FileOffset(block.at),
                              .block = BlockNumber(block.number)});
}

std::int64_t BlockWalk::full_payload() const {
  const std::int64_t length = std::max(block_size_, longest_);
  return length == 0 ? 0 : length - static_cast<std::int64_t>(kBlockHeaderBytesV2);
}

}  // namespace mark6::sg
