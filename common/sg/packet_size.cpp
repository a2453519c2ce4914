// SPDX-License-Identifier: MIT
#include "common/sg/packet_size.hpp"

#include <algorithm>
#include <array>

#include "common/vdif/header.hpp"
#include "common/vdif/mark5b.hpp"

namespace mark6::sg {
namespace {

/// Payloads the first block may have: by the file header, and by wb_size read in both ways.
using Payloads = std::array<std::int64_t, 3>;

bool divides_one(std::int64_t packet, const Payloads& payloads) {
  return packet > 0 && std::any_of(payloads.begin(), payloads.end(), [&](std::int64_t payload) {
           return payload > 0 && payload % packet == 0;
         });
}

bool is_frame(Bytes bytes, std::uint32_t frame_bytes) {
  return vdif::plausible(bytes, frame_bytes) ||
         (frame_bytes == vdif::kMark5bFrameBytes && vdif::is_mark5b(bytes));
}

/// The size of the frame at `first`, confirmed by the frame behind it or by filling a payload
/// alone; 0 when the bytes there are no frame.
std::uint32_t size_of_first_frame(FragmentReader& reader, std::uint64_t first,
                                  const Payloads& payloads) {
  const Bytes bytes = reader.peek(first);
  const auto vdif = vdif::parse(bytes);
  std::array<std::uint32_t, 3> candidates{};
  if (vdif::is_mark5b(bytes)) candidates[0] = vdif::kMark5bFrameBytes;
  if (vdif && vdif::plausible(bytes, 0)) {
    candidates[1] = vdif->frame_bytes;
    // A fill packet says 32 bytes too many.
    if (vdif->invalid && vdif->frame_bytes > 2 * vdif::kHeaderBytes) {
      candidates[2] = vdif->frame_bytes - std::uint32_t{vdif::kHeaderBytes};
    }
  }
  for (const std::uint32_t size : candidates) {
    if (!divides_one(size, payloads)) continue;
    const bool alone = std::find(payloads.begin(), payloads.end(), size) != payloads.end();
    if (alone || is_frame(reader.peek(first + size), size)) return size;
  }
  return 0;
}

}  // namespace

PacketSize find_packet_size(FragmentReader& reader, const FileHeader& header) {
  const auto block = parse_block_header(reader.peek(kFileHeaderBytes), header.version);
  if (!block) return {};
  const auto header_bytes = static_cast<std::int64_t>(block_header_bytes(header.version));
  const std::int64_t full = std::int64_t{header.block_size} - header_bytes;
  const Payloads payloads{full, std::int64_t{block->wb_size} - header_bytes, block->wb_size};
  const std::uint64_t first = kFileHeaderBytes + block_header_bytes(header.version);

  const auto said = static_cast<std::uint32_t>(std::max(header.packet_size, 0));
  if (said != 0 && is_frame(reader.peek(first), said)) return {said, true};
  if (said != 0 && said != full && divides_one(said, payloads)) return {said, true};
  // Either nothing useful is said, or (as jive5ab does) one block is called one packet.
  if (const std::uint32_t size = size_of_first_frame(reader, first, payloads)) return {size, true};
  if (said != 0 && said == full) return {said, false};
  return {};
}

}  // namespace mark6::sg
