// SPDX-License-Identifier: MIT
#include "common/read/bad_ranges.hpp"

#include <algorithm>
#include <cerrno>

namespace mark6 {

void BadRanges::clear() {
  ranges_.clear();
  piece_ = failures_ = 0;
}

std::uint32_t BadRanges::piece(std::uint32_t rest) const {
  return piece_ == 0 ? rest : std::min(piece_, rest);
}

void BadRanges::came(std::uint32_t length) {
  if (piece_ != 0 && length >= piece_) piece_ *= 2;
}

std::uint32_t BadRanges::failed(std::uint32_t begin, std::uint32_t length, std::uint32_t end,
                                std::uint32_t sector) {
  if (++failures_ >= kMaxFailures) {
    give_up(begin, end);
    return end;
  }
  if (length <= sector) {
    piece_ = sector;
    give_up(begin, begin + length);
    return begin + length;
  }
  piece_ = std::max(length / 2 / sector * sector, sector);
  return begin;
}

void BadRanges::give_up(std::uint32_t begin, std::uint32_t end) {
  if (!ranges_.empty() && ranges_.back().end == begin) {
    ranges_.back().end = end;
  } else if (begin < end) {
    ranges_.push_back({begin, end});
  }
}

// The block layer's words for what went wrong with sectors: medium error ENODATA, protection
// EILSEQ, others EIO; file systems add EBADMSG and EUCLEAN (checksums), remote targets EREMOTEIO.
bool may_be_narrowed(int error) {
  return error == EIO || error == ENODATA || error == EILSEQ || error == EBADMSG ||
         error == EUCLEAN || error == EREMOTEIO;
}

}  // namespace mark6
