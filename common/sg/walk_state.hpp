// SPDX-License-Identifier: MIT
// What the walks of both format versions share: the fragment being filled, the last number taken,
// and the caps that bound any walk. Private to common/sg.
#pragma once

#include <cstdint>
#include <optional>

#include "common/sg/fragment_reader.hpp"
#include "common/sg/fragment_walk.hpp"

namespace mark6::sg {

/// Neighbouring numbers in one file are never further apart than this, either way: they differ by
/// the number of disks, or by what a few lost minutes hold.
inline constexpr std::int64_t kNumberWindow = std::int64_t{1} << 20;
/// No block is longer; the writers known stay below 64 MiB.
inline constexpr std::int64_t kMaxBlockBytes = std::int64_t{1} << 30;
/// A full 20 TB disk holds 2 million blocks of 10 MB.
inline constexpr std::size_t kMaxBlocks = std::size_t{1} << 24;
/// Something that goes wrong this often is no damaged Mark6 file: the rest is given up.
inline constexpr std::uint64_t kMaxTroubles = std::uint64_t{1} << 20;

/// Whether `number` may stand in the block after the one numbered `before` (if any).
constexpr bool follows(std::int32_t number, std::optional<std::int32_t> before) {
  if (number < 0) return false;
  if (!before) return true;
  const std::int64_t step = std::int64_t{number} - std::int64_t{*before};
  return step >= -kNumberWindow && step <= kNumberWindow;
}

/// As follows(), and the number is higher, as it is in a healthy file.
constexpr bool ascends(std::int32_t number, std::optional<std::int32_t> before) {
  return follows(number, before) && (!before || number > *before);
}

/// Counts the damage, and lists it up to kMaxDamage.
void add_damage(Fragment& fragment, Damage damage);

struct WalkState {
  FragmentReader& reader;
  Fragment& fragment;
  std::uint32_t packet_unit = 0;  ///< what payloads are whole numbers of; 0: not known
  std::optional<std::int32_t> last_number{};

  /// Lists a block whose payload is not empty; a number that does not ascend is damage.
  void keep(std::int32_t number, std::uint64_t payload_offset, std::uint64_t payload_bytes);
  /// Bytes [from, to) belong to no block.
  void lose(std::uint64_t from, std::uint64_t to);
  /// The file ends with `usable` whole-packet bytes of a block that should have had `of_bytes`.
  void keep_truncated(std::int32_t number, std::uint64_t payload_offset, std::uint64_t usable,
                      std::uint64_t of_bytes);
  /// True when a cap is reached; what lies behind `at` is then counted as lost.
  bool gives_up(std::uint64_t at);
  /// As whole_packets(), also where only the header says what a packet is: a block of one packet
  /// that is cut has no whole one.
  [[nodiscard]] std::uint64_t usable_of_cut(std::uint64_t bytes) const;
  /// `bytes` without the partial packet at their end.
  [[nodiscard]] std::uint64_t whole_packets(std::uint64_t bytes) const;
};

}  // namespace mark6::sg
