// SPDX-License-Identifier: MIT
#include "common/sg/resync.hpp"

#include <algorithm>
#include <cstring>

namespace mark6::sg {
namespace {

constexpr std::size_t kFirstStride = 4096;
constexpr std::size_t kLongestStride = std::size_t{1} << 20;
/// What it costs to follow up a header that may be one: a read of its own.
constexpr std::uint64_t kFollowUpBytes = 4096;

/// Whether all of a piece is zero, as in the holes of a sparse file; at the speed of memcmp.
bool is_zero(Bytes bytes) {
  return bytes[0] == std::byte{0} &&
         std::memcmp(bytes.data(), bytes.data() + 1, bytes.size() - 1) == 0;
}

}  // namespace

std::optional<std::uint64_t> Resync::find(std::uint64_t from, std::uint64_t grid_end,
                                          std::optional<std::int32_t> before,
                                          std::uint64_t search_bytes) {
  from_ = from;
  grid_end_ = grid_end;
  before_ = before;
  off_grid_.reset();
  const std::uint64_t limit =
      from + std::min(search_bytes, reader_.size() - std::min(from, reader_.size()));
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
  if (bytes.size() < kBlockHeaderBytesV2 || is_zero(bytes)) return std::nullopt;
  // The wb_size at each position, moved on byte by byte: nearly every position is refused by it
  // and goes no further.
  std::uint32_t wb_size = load_le32(bytes, 4).value_or(0);
  for (std::size_t i = 0; i < stride; ++i) {
    if (judge_.wb_size_fits(static_cast<std::int32_t>(wb_size))) {
      if (const auto hit = follow_up(at + i, bytes.subspan(i))) return hit;
    }
    if (i + kBlockHeaderBytesV2 >= bytes.size()) break;
    wb_size =
        (wb_size >> 8U) | (std::to_integer<std::uint32_t>(bytes[i + kBlockHeaderBytesV2]) << 24U);
  }
  return std::nullopt;
}

std::optional<std::uint64_t> Resync::follow_up(std::uint64_t at, Bytes bytes) {
  const Spot spot = judge_.interpret(at, bytes);
  if (!follows(spot.number, before_)) return std::nullopt;
  if (!spot.has_frame) spent_ += kFollowUpBytes;
  if (spent_ >= kResyncTotalBytes) return off_grid_;
  if (!judge_.is_certain(spot, before_)) return std::nullopt;
  if (on_grid(at)) return at;
  if (!off_grid_) off_grid_ = at;
  return at > grid_end_ ? off_grid_ : std::nullopt;
}

bool Resync::on_grid(std::uint64_t at) const {
  return packet_size_ == 0 || (at <= grid_end_ && (at - from_) % packet_size_ == 0);
}

}  // namespace mark6::sg
