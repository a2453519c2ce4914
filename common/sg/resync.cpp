// SPDX-License-Identifier: MIT
#include "common/sg/resync.hpp"

#include <algorithm>

namespace mark6::sg {
namespace {

constexpr std::size_t kFirstStride = 4096;
constexpr std::size_t kLongestStride = std::size_t{1} << 20;
/// What it costs to follow up a header that may be one: a read of its own.
constexpr std::uint64_t kFollowUpBytes = 4096;

}  // namespace

std::optional<std::uint64_t> Resync::find(std::uint64_t from, std::uint64_t grid_end,
                                          std::optional<std::int32_t> before) {
  from_ = from;
  grid_end_ = grid_end;
  before_ = before;
  off_grid_.reset();
  const std::uint64_t limit =
      from + std::min(kResyncLimitBytes, reader_.size() - std::min(from, reader_.size()));
  std::size_t stride = kFirstStride / 2;
  for (std::uint64_t at = from; at < limit && spent_ < kResyncTotalBytes; at += stride) {
    if (off_grid_ && at > grid_end_) break;
    stride = std::min(2 * stride, kLongestStride);
    spent_ += stride;
    const Bytes bytes = reader_.load(at, stride + FragmentReader::kLookBytes);
    if (const auto hit = look_through(at, bytes, stride)) return hit;
  }
  return off_grid_;
}

std::optional<std::uint64_t> Resync::look_through(std::uint64_t at, Bytes bytes,
                                                  std::size_t stride) {
  for (std::size_t i = 0; i < stride && bytes.size() >= i + kBlockHeaderBytesV2; ++i) {
    // The cheap refusals first: nearly every position goes no further.
    if (!judge_.wb_size_fits(load_le_i32(bytes, i + 4).value_or(0))) continue;
    const Spot spot = judge_.interpret(at + i, bytes.subspan(i));
    if (!follows(spot.number, before_) || !judge_.length_fits(spot.length)) continue;
    if (!spot.has_frame) spent_ += kFollowUpBytes;
    if (spent_ >= kResyncTotalBytes) return off_grid_;
    if (!judge_.is_certain(spot, before_)) continue;
    if (on_grid(spot.at)) return spot.at;
    if (!off_grid_) off_grid_ = spot.at;
    if (spot.at > grid_end_) return off_grid_;
  }
  return std::nullopt;
}

bool Resync::on_grid(std::uint64_t at) const {
  return packet_size_ == 0 || (at <= grid_end_ && (at - from_) % packet_size_ == 0);
}

}  // namespace mark6::sg
