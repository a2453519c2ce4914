// SPDX-License-Identifier: MIT
// From the bytes of one fragment to the list of its blocks, whatever state the fragment is in.
// Pure: reads a ByteSource, returns values; bounded by the source's size and the caps below.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "common/base/byte_source.hpp"
#include "common/sg/format.hpp"

namespace mark6::sg {

/// Where one block's payload lies in its fragment. 16 bytes, there may be millions.
struct BlockPlace {
  FileOffset payload_offset;        ///< first byte behind the block header
  std::uint32_t payload_bytes = 0;  ///< > 0
  BlockNumber number;
  bool operator==(const BlockPlace&) const = default;
};

enum class FragmentKind {
  kScatterGather,  ///< has the Mark6 header
  kPlain,    ///< no Mark6 header, but VDIF or Mark5B frames from the first byte on (RAID mode)
  kEmpty,    ///< shorter than a file header
  kUnknown,  ///< neither
};

/// What is wrong with a fragment (format.md section 3 has the cases).
enum class DamageKind {
  kEmptyFragment,   ///< zero length or less than a file header
  kNoHeader,        ///< the sync word is not that of a Mark6 file
  kTruncatedBlock,  ///< the last block is cut; its whole packets are kept
  kTrailingBytes,   ///< less than a block header is left at the end
  kWrongLength,     ///< a wb_size that cannot be right; the block was recovered
  kLostBytes,       ///< bytes skipped to the next plausible block header
  kOutOfOrder,      ///< numbers do not ascend in the file
  kBadBlockSize,    ///< block_size in the file header cannot be right
  kIoError,         ///< the walk ended at a read error
};

struct Damage {
  DamageKind kind;
  FileOffset offset;                   ///< where in the fragment
  std::optional<BlockNumber> block{};  ///< the block concerned, where there is one
  std::uint64_t bytes = 0;             ///< bytes concerned (lost, kept, left over)
  std::uint64_t of_bytes = 0;          ///< kTruncatedBlock: the payload it should have had
  std::string detail{};                ///< kIoError: the reason
};

/// One line without the path: "last block 59 cut, 9288 of 10320 bytes usable".
std::string describe(const Damage& damage);

struct Fragment {
  FragmentKind kind = FragmentKind::kUnknown;
  FileHeader header{};  ///< kScatterGather only
  std::uint32_t packet_size =
      0;                     ///< from the header, or recovered from the first frame; 0: unknown
  bool old_wb_size = false;  ///< every wb_size counts the payload only (writer before 2017)
  std::uint64_t file_bytes = 0;
  std::vector<BlockPlace> blocks{};  ///< in file order; kPlain: none
  std::vector<Damage> damage{};      ///< at most kMaxDamage entries, the last one then says so
  std::uint64_t damage_count = 0;    ///< all of them, also those above the cap
};

inline constexpr std::size_t kMaxDamage = 1000;
/// How far the walk looks for the next plausible block header before it gives the rest up.
inline constexpr std::uint64_t kResyncLimitBytes = std::uint64_t{256} << 20;

/// Walks all blocks of `source`. Never fails: what cannot be read or understood is in `damage`.
Fragment walk_fragment(ByteSource& source);

}  // namespace mark6::sg
