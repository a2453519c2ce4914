// SPDX-License-Identifier: MIT
// What kind of file a fragment is, and the walk that suits it: version 2 is walked by wb_size
// (block_walk.hpp), version 1 by the block size of the file header, a plain file not at all.
#include "common/sg/fragment_walk.hpp"

#include <algorithm>
#include <utility>

#include "common/sg/block_walk.hpp"
#include "common/sg/packet_size.hpp"
#include "common/sg/walk_state.hpp"
#include "common/vdif/header.hpp"
#include "common/vdif/mark5b.hpp"

namespace mark6::sg {
namespace {

bool same_kind_of_frame(const vdif::Header& a, const vdif::Header& b) {
  return a.frame_bytes == b.frame_bytes && a.legacy == b.legacy && a.version == b.version;
}

/// The frame size of a plain file: two frames alike stand at its start, or one is all of it.
/// 0 when it is no such file.
std::uint32_t plain_frame_bytes(FragmentReader& reader) {
  const Bytes start = reader.peek(0);
  if (vdif::is_mark5b(start)) {
    const bool again = reader.size() == vdif::kMark5bFrameBytes ||
                       vdif::is_mark5b(reader.peek(vdif::kMark5bFrameBytes));
    return again ? vdif::kMark5bFrameBytes : 0;
  }
  if (!vdif::plausible(start, 0)) return 0;
  const auto first = vdif::parse(start);
  if (!first) return 0;
  if (first->frame_bytes == reader.size()) return first->frame_bytes;
  const auto second = vdif::parse(reader.peek(first->frame_bytes));
  return second && same_kind_of_frame(*first, *second) ? first->frame_bytes : 0;
}

/// Version 1: blocks stand block_size apart and the last one has what is left of the file.
void walk_v1(WalkState& walk) {
  const std::uint64_t size = walk.reader.size();
  const auto block_size = static_cast<std::uint64_t>(walk.fragment.header.block_size);
  const auto number_at = [&](std::uint64_t at) { return load_le_i32(walk.reader.peek(at), 0); };
  std::uint64_t next = 0;
  for (std::uint64_t at = kFileHeaderBytes; at < size; at = next) {
    if (walk.gives_up(at)) return;
    const std::uint64_t payload_at = at + kBlockHeaderBytesV1;
    if (size < payload_at) {
      add_damage(
          walk.fragment,
          {.kind = DamageKind::kTrailingBytes, .offset = FileOffset(at), .bytes = size - at});
      return;
    }
    const auto number = number_at(at);
    if (!number) return;  // a read error
    next = std::min(size, at + block_size);
    // A number far off is believed when its successor agrees with it.
    const bool agreed = next < size && ascends(number_at(next).value_or(-1), *number);
    if (*number < 0 || (!follows(*number, walk.last_number) && !agreed)) {
      walk.lose(at, next);
      continue;
    }
    const std::uint64_t payload = next - payload_at;
    const std::uint64_t usable = next == size ? walk.whole_packets(payload) : payload;
    if (usable == payload && payload > 0) {
      walk.keep(*number, payload_at, payload);
    } else {
      walk.keep_truncated(*number, payload_at, usable, block_size - kBlockHeaderBytesV1);
    }
  }
}

void walk_blocks(FragmentReader& reader, Fragment& fragment) {
  const PacketSize packet = find_packet_size(reader, fragment.header);
  fragment.packet_size = packet.bytes;
  WalkState walk{.reader = reader,
                 .fragment = fragment,
                 .packet_unit = packet.payloads_are_multiples ? packet.bytes : 0};
  const auto header_bytes = static_cast<std::int64_t>(block_header_bytes(fragment.header.version));
  const bool sane =
      fragment.header.block_size > header_bytes && fragment.header.block_size <= kMaxBlockBytes;
  if (!sane) {
    add_damage(fragment, {.kind = DamageKind::kBadBlockSize,
                          .offset = FileOffset(8),
                          .detail = std::to_string(fragment.header.block_size)});
  }
  if (fragment.header.version == 2) {
    BlockWalk(walk, sane ? fragment.header.block_size : 0).run();
  } else if (sane) {
    walk_v1(walk);
  } else {
    walk.lose(kFileHeaderBytes, reader.size());
  }
}

void recognise(FragmentReader& reader, Fragment& fragment) {
  if (reader.size() < kFileHeaderBytes) {
    fragment.kind = FragmentKind::kEmpty;
    add_damage(fragment, {.kind = DamageKind::kEmptyFragment, .offset = FileOffset(0)});
    return;
  }
  const auto header = parse_file_header(reader.peek(0));
  if (header) {
    fragment.kind = FragmentKind::kScatterGather;
    fragment.header = *header;
    walk_blocks(reader, fragment);
    return;
  }
  if (const std::uint32_t frame_bytes = plain_frame_bytes(reader)) {
    fragment.kind = FragmentKind::kPlain;
    fragment.packet_size = frame_bytes;
    return;
  }
  if (reader.error()) return;
  const bool is_mark6 = load_le32(reader.peek(0), 0) == kSyncWord;
  add_damage(fragment, {.kind = DamageKind::kNoHeader,
                        .offset = FileOffset(0),
                        .detail = is_mark6 ? header.error().found : std::string()});
}

}  // namespace

Fragment walk_fragment(ByteSource& source) {
  Fragment fragment;
  fragment.file_bytes = source.size();
  FragmentReader reader(source);
  recognise(reader, fragment);
  if (reader.error()) {
    add_damage(fragment, {.kind = DamageKind::kIoError,
                          .offset = FileOffset(reader.error()->offset),
                          .detail = reader.error()->reason});
  } else if (fragment.kind == FragmentKind::kScatterGather && fragment.file_bytes > reader.size()) {
    add_damage(fragment, {.kind = DamageKind::kLostBytes,
                          .offset = FileOffset(reader.size()),
                          .bytes = fragment.file_bytes - reader.size()});
  }
  return fragment;
}

}  // namespace mark6::sg
