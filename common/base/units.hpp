// SPDX-License-Identifier: MIT
// Integers that would otherwise get mixed up are types of their own; and how sizes and rates are
// read from and shown to people. Rates and sizes are decimal (1 GB = 1e9 bytes), as the field uses
// them; K, M, G without B after a binary "i" (KiB, MiB, GiB) are powers of 1024.
#pragma once

#include <compare>
#include <cstdint>
#include <string>
#include <string_view>

#include "common/base/error.hpp"

namespace mark6 {

/// An integer of its own type: compares and prints like one, never converts by itself.
template <class Tag, class Rep>
struct StrongInt {
  Rep value{};
  constexpr StrongInt() = default;
  constexpr explicit StrongInt(Rep v) : value(v) {}
  constexpr auto operator<=>(const StrongInt&) const = default;
};

/// A strong integer that is a position: position + bytes = position, position - position = bytes.
template <class Tag>
struct Position : StrongInt<Tag, std::uint64_t> {
  using StrongInt<Tag, std::uint64_t>::StrongInt;
  constexpr auto operator<=>(const Position&) const = default;
  friend constexpr Position operator+(Position p, std::uint64_t n) { return Position(p.value + n); }
  friend constexpr Position operator-(Position p, std::uint64_t n) { return Position(p.value - n); }
  friend constexpr std::uint64_t operator-(Position a, Position b) { return a.value - b.value; }
};

/// Byte position in the flat scan as we deliver it.
using ScanOffset = Position<struct ScanOffsetTag>;
/// Byte position in a fragment file on a disk.
using FileOffset = Position<struct FileOffsetTag>;
/// Number of a block in the recording, as in its block header (i32 there, never negative here).
using BlockNumber = StrongInt<struct BlockNumberTag, std::int32_t>;
/// Place of a disk in the list of disks of a catalog or reader.
using DiskIndex = StrongInt<struct DiskIndexTag, std::uint32_t>;
/// Place of a fragment in the list of fragments of its scan.
using FragmentIndex = StrongInt<struct FragmentIndexTag, std::uint16_t>;

/// Bytes from text: "4096", "64M", "1.5G", "10MB" (decimal: K, M, G, T, with or without B),
/// "64MiB", "64Mi" (binary). kUsage when it is anything else, negative or above 2^63 - 1.
Result<std::uint64_t> parse_bytes(std::string_view text);

/// "1.23 GB": three significant digits, decimal units; below 1000 "999 B".
std::string format_bytes(std::uint64_t bytes);

/// "1234.5 MB/s (9.88 Gbit/s)"; 0 seconds gives "- MB/s".
std::string format_rate(std::uint64_t bytes, double seconds);

/// "0.84 s", "12.3 s", "4 min 03 s", "2 h 07 min".
std::string format_duration(double seconds);

}  // namespace mark6
