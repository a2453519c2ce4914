// SPDX-License-Identifier: MIT
#include "common/sg/header_judge.hpp"

#include "common/vdif/header.hpp"
#include "common/vdif/mark5b.hpp"

namespace mark6::sg {
namespace {

constexpr auto kHeader = static_cast<std::int64_t>(kBlockHeaderBytesV2);

}  // namespace

HeaderJudge::HeaderJudge(const WalkState& walk, std::int64_t block_size)
    : reader_(walk.reader),
      packet_size_(walk.fragment.packet_size),
      packet_unit_(walk.packet_unit),
      block_size_(block_size),
      longest_allowed_(block_size > 0 ? block_size : kMaxBlockBytes) {}

bool HeaderJudge::detect_old_writer() {
  const auto leads_on_with = [&](Spot spot, std::int64_t length) {
    spot.length = length;
    return is_whole_packets(length) && leads_on(spot);
  };
  // The first block decides, unless only the old reading fits it: then its length may be the one
  // that is wrong, and its successors are asked too.
  constexpr int kAsked = 6;
  int old_lead = 0;
  std::uint64_t at = kFileHeaderBytes;
  for (int asked = 0; asked < kAsked && at < reader_.size(); ++asked) {
    const auto spot = look(at);
    if (!spot) break;
    const bool is_new = leads_on_with(*spot, spot->length);
    const bool is_old = leads_on_with(*spot, spot->length + kHeader);
    if (is_new && asked == 0) return false;
    if (is_new != is_old) old_lead += is_old ? 1 : -1;
    std::int64_t step = block_size_;
    if (is_new || is_old) step = is_new ? spot->length : spot->length + kHeader;
    if (step <= 0) break;
    if (!is_new && !is_old && asked == 0 && packet_size_ != 0 && spot->length % packet_size_ == 0 &&
        at + static_cast<std::uint64_t>(step) > reader_.size()) {
      ++old_lead;  // a single block, cut: only the packets in it tell
    }
    at += static_cast<std::uint64_t>(step);
  }
  if (old_lead > 0) not_counted_ = kHeader;
  return old_lead > 0;
}

std::optional<Spot> HeaderJudge::look(std::uint64_t at) {
  const Bytes bytes = reader_.peek(at);
  if (bytes.size() < kBlockHeaderBytesV2) return std::nullopt;
  return interpret(at, bytes);
}

Spot HeaderJudge::interpret(std::uint64_t at, Bytes bytes) const {
  const BlockHeader header = parse_block_header(bytes, 2).value_or(BlockHeader{});
  return {.at = at,
          .number = header.number,
          .length = std::int64_t{header.wb_size} + not_counted_,
          .has_frame = is_frame(bytes.subspan(kBlockHeaderBytesV2))};
}

bool HeaderJudge::is_frame(Bytes bytes) const {
  if (packet_size_ == 0) return vdif::is_mark5b(bytes);
  return vdif::plausible(bytes, packet_size_) || vdif::is_mark5b(bytes);
}

bool HeaderJudge::is_whole_packets(std::int64_t length) const {
  return packet_unit_ == 0 || (length - kHeader) % packet_unit_ == 0;
}

bool HeaderJudge::is_next(const Spot& spot, std::optional<std::int32_t> before) {
  return follows(spot.number, before) && length_fits(spot.length) &&
         (is_whole_packets(spot.length) || leads_on(spot));
}

bool HeaderJudge::is_sound(const Spot& spot) {
  return length_fits(spot.length) && is_whole_packets(spot.length) &&
         (spot.has_frame || leads_on(spot));
}

bool HeaderJudge::is_certain(const Spot& spot, std::optional<std::int32_t> before) {
  return follows(spot.number, before) && is_sound(spot);
}

bool HeaderJudge::leads_on(const Spot& spot) {
  if (!length_fits(spot.length) || spot.end() > reader_.size()) return false;
  if (spot.end() == reader_.size()) return true;
  const auto next = look(spot.end());
  // Higher, not only near: payloads of one small value would lead on for ever.
  return next && ascends(next->number, spot.number) && length_fits(next->length);
}

}  // namespace mark6::sg
