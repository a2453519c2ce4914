// SPDX-License-Identifier: MIT
#include "common/catalog/start_time.hpp"

#include <algorithm>
#include <span>
#include <vector>

#include "common/vdif/header.hpp"
#include "common/vdif/mark5b.hpp"
#include "common/vdif/time.hpp"

namespace mark6 {
namespace {

/// Reads frame headers, which lie a packet apart, through one window, so that a run of fill packets
/// costs few reads. The first read is a page: nearly always the first frame tells.
class HeaderReader {
 public:
  explicit HeaderReader(ByteSource& source) : source_(source) {}

  /// Up to a VDIF header at `offset`; fewer bytes, or none, where they cannot be read.
  Bytes header_at(FileOffset offset) {
    if (offset < start_ || offset + vdif::kHeaderBytes > start_ + window_.size()) {
      const std::size_t wanted = window_.empty() ? kFirstBytes : kNextBytes;
      window_.resize(wanted);
      start_ = offset;
      const auto got = source_.read_at(offset, window_);
      window_.resize(got ? *got : 0);
    }
    const std::size_t from = std::min<std::size_t>(offset - start_, window_.size());
    return Bytes(window_).subspan(from, std::min(vdif::kHeaderBytes, window_.size() - from));
  }

 private:
  static constexpr std::size_t kFirstBytes = 4096;
  static constexpr std::size_t kNextBytes = std::size_t{256} << 10;
  ByteSource& source_;
  FileOffset start_;
  std::vector<std::byte> window_;
};

/// The time of the frame that `header` starts, when it is a valid one.
std::optional<std::int64_t> time_of_frame(Bytes header, bool is_mark5b, std::int64_t hint_unix_s) {
  if (is_mark5b) {
    const auto frame = vdif::parse_mark5b(header);
    if (!frame) return std::nullopt;
    return vdif::unix_seconds(*frame, hint_unix_s);
  }
  const auto frame = vdif::parse(header);
  if (!frame || frame->invalid || !vdif::plausible(header, 0)) return std::nullopt;
  return vdif::unix_seconds(*frame, hint_unix_s);
}

/// The first blocks of the scan, with their places.
std::vector<sg::Extent> first_blocks(const sg::ScanIndex& index) {
  const auto extents = index.extents();
  if (index.grid() == nullptr) {
    const auto last = std::min(extents.size(), kMaxStartBlocks);
    return {extents.begin(), extents.begin() + static_cast<std::ptrdiff_t>(last)};
  }
  // The block with the lowest number is the first of its fragment; the next one is not known.
  sg::Extent first = index.block(0);
  const auto& fragments = index.grid()->fragments();
  for (std::size_t i = 0; i < fragments.size(); ++i) {
    if (fragments[i].first != first.number) continue;
    first.place = sg::Extent::place_of(index.fragment_of_grid(i), fragments[i].payload_offset(0));
  }
  return {first};
}

}  // namespace

StartTime find_start(const sg::ScanIndex& index, const FragmentSource& source,
                     const FragmentDate& date) {
  StartTime start;
  std::size_t packets = 0;
  for (const sg::Extent& extent : first_blocks(index)) {
    ByteSource* const bytes = source(extent.fragment());
    if (bytes == nullptr) continue;
    HeaderReader reader(*bytes);
    const std::uint64_t step = index.packet_size() != 0 ? index.packet_size() : extent.length;
    for (std::uint64_t at = 0; at < extent.length && packets < kMaxStartPackets; at += step) {
      const Bytes header = reader.header_at(extent.file_offset() + at);
      if (packets++ == 0) start.is_mark5b = vdif::is_mark5b(header);
      start.unix_s = time_of_frame(header, start.is_mark5b, date(extent.fragment()));
      if (start.unix_s) return start;
    }
  }
  return start;
}

}  // namespace mark6
