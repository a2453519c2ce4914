// SPDX-License-Identifier: MIT
#include "tests/support/recording.hpp"

#include <algorithm>
#include <cstring>

namespace mark6::test {

bool same(const ByteVector& a, const ByteVector& b) {
  return a.size() == b.size() && (a.empty() || std::memcmp(a.data(), b.data(), a.size()) == 0);
}

void append(ByteVector& to, const ByteVector& bytes) {
  to.insert(to.end(), bytes.begin(), bytes.end());
}

void append_le32(ByteVector& to, std::uint32_t value) {
  const std::byte bytes[4] = {static_cast<std::byte>(value), static_cast<std::byte>(value >> 8U),
                              static_cast<std::byte>(value >> 16U),
                              static_cast<std::byte>(value >> 24U)};
  to.insert(to.end(), bytes, bytes + 4);
}

ByteVector noise(std::size_t count, std::uint32_t seed) {
  // An xorshift generator: tests make a lot of noise, and it only has to look like data.
  std::uint32_t state = seed * 2654435761U + 0x9e3779b9U;
  if (state == 0) state = 1;
  ByteVector bytes(count + 3);
  for (std::size_t i = 0; i < count; i += 4) {
    state ^= state << 13U;
    state ^= state >> 17U;
    state ^= state << 5U;
    std::memcpy(bytes.data() + i, &state, 4);
  }
  bytes.resize(count);
  return bytes;
}

ByteVector vdif_frame(std::uint32_t index, const FrameShape& shape, std::uint32_t seed) {
  constexpr std::uint32_t kEpoch = 30;  // 2015-01-01
  ByteVector bytes;
  append_le32(bytes, (index / 100 + 6'800'000) | (shape.invalid ? 1U << 31U : 0U));
  append_le32(bytes, index % 100 | (kEpoch << 24U));
  append_le32(bytes, (shape.bytes + shape.length_excess) / 8);
  append_le32(bytes, 0x7453U | (static_cast<std::uint32_t>(shape.thread) << 16U) | (1U << 26U));
  for (int word = 4; word < 8; ++word) append_le32(bytes, 0);
  append(bytes, noise(shape.bytes - 32, index * 2654435761U + shape.thread + seed));
  return bytes;
}

ByteVector vdif_frames(std::uint32_t first, std::uint32_t count, const FrameShape& shape) {
  ByteVector bytes;
  for (std::uint32_t i = 0; i < count; ++i) append(bytes, vdif_frame(first + i, shape));
  return bytes;
}

ByteVector fragment_bytes(const FragmentSpec& spec) {
  ByteVector bytes;
  append_le32(bytes, spec.sync_word);
  for (const std::int32_t field :
       {spec.version, spec.block_size, spec.packet_format, spec.packet_size}) {
    append_le32(bytes, static_cast<std::uint32_t>(field));
  }
  for (const BlockSpec& block : spec.blocks) {
    append_le32(bytes, static_cast<std::uint32_t>(block.number));
    if (spec.version != 1) {
      const auto right =
          static_cast<std::int32_t>(block.payload.size() + (spec.old_wb_size ? 0 : 8));
      append_le32(bytes, static_cast<std::uint32_t>(block.wb_size.value_or(right)));
    }
    append(bytes, block.payload);
  }
  return bytes;
}

std::uint64_t block_offset(const FragmentSpec& spec, std::size_t index) {
  std::uint64_t offset = 20;
  for (std::size_t i = 0; i < index; ++i) {
    offset += (spec.version == 1 ? 4 : 8) + spec.blocks[i].payload.size();
  }
  return offset;
}

Result<std::size_t> MemorySource::read_at(FileOffset offset, MutableBytes into) {
  ++reads_;
  if (offset.value >= size_) return std::size_t{0};
  const auto count =
      static_cast<std::size_t>(std::min<std::uint64_t>(into.size(), size_ - offset.value));
  bytes_read_ += count;
  if (bad_byte_ && *bad_byte_ >= offset.value && *bad_byte_ < offset.value + count) {
    return failure(ErrorCode::kIo, "memory", "cannot read: bad sector");
  }
  std::fill(into.begin(), into.end(), std::byte{0});
  if (offset.value < bytes_.size()) {
    const std::size_t there =
        std::min(count, bytes_.size() - static_cast<std::size_t>(offset.value));
    std::copy_n(bytes_.begin() + static_cast<std::ptrdiff_t>(offset.value), there, into.begin());
  }
  return count;
}

}  // namespace mark6::test
