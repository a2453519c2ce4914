// SPDX-License-Identifier: MIT
// The one way to get integers out of bytes that came from a disk: little-endian and bounds-checked.
// File bytes are never cast to structs.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

namespace mark6 {

using Bytes = std::span<const std::byte>;
using MutableBytes = std::span<std::byte>;

/// The u32 at `offset`, little-endian; nothing when it does not fit into `bytes`.
inline std::optional<std::uint32_t> load_le32(Bytes bytes, std::size_t offset) {
  if (offset > bytes.size() || bytes.size() - offset < 4) return std::nullopt;
  std::uint32_t value = 0;
  for (std::size_t i = 4; i-- > 0;) {
    value = (value << 8) | std::to_integer<std::uint32_t>(bytes[offset + i]);
  }
  return value;
}

/// The i32 at `offset`, little-endian two's complement; nothing when it does not fit.
inline std::optional<std::int32_t> load_le_i32(Bytes bytes, std::size_t offset) {
  const auto value = load_le32(bytes, offset);
  if (!value) return std::nullopt;
  return static_cast<std::int32_t>(*value);
}

/// Writes `value` little-endian at `offset`; the caller guarantees that it fits.
inline void store_le32(MutableBytes bytes, std::size_t offset, std::uint32_t value) {
  for (std::size_t i = 0; i < 4; ++i) {
    bytes[offset + i] = static_cast<std::byte>((value >> (8 * i)) & 0xFFU);
  }
}

}  // namespace mark6
