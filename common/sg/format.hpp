// SPDX-License-Identifier: MIT
// The Mark6 scatter-gather format on disk: file header and block headers, as bytes and as values.
// Source of the facts: docs/reference/format.md. Pure.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include "common/base/bytes.hpp"
#include "common/base/error.hpp"
#include "common/base/units.hpp"

namespace mark6::sg {

inline constexpr std::uint32_t kSyncWord = 0xfeed6666;
inline constexpr std::size_t kFileHeaderBytes = 20;
inline constexpr std::size_t kBlockHeaderBytesV1 = 4;  ///< i32 number
inline constexpr std::size_t kBlockHeaderBytesV2 = 8;  ///< i32 number, i32 wb_size

/// The packet_format field. A hint only: Mark5B converted to VDIF on the fly may still say 1.
enum class PacketFormat : std::int32_t { kVdif = 0, kMark5b = 1, kUnknown = 2 };

/// The 20 bytes at the start of each fragment, as they stand there (nothing is checked but the
/// sync word and the version).
struct FileHeader {
  std::int32_t version = 2;        ///< 1 or 2
  std::int32_t block_size = 0;     ///< bytes of a full block, block header included
  std::int32_t packet_format = 0;  ///< see PacketFormat; any value is met
  std::int32_t packet_size = 0;    ///< bytes of one packet; 0 is met: recover it from the data
  bool operator==(const FileHeader&) const = default;
};

struct BlockHeader {
  std::int32_t number = 0;
  std::int32_t wb_size = 0;  ///< v2: bytes of this block, header included; v1: 0 (not stored)
};

/// Bytes of a block header in a file of `version` (1 or 2).
constexpr std::size_t block_header_bytes(std::int32_t version) {
  return version == 1 ? kBlockHeaderBytesV1 : kBlockHeaderBytesV2;
}

/// The header at the start of `bytes` (at least 20). Errors: kBadFormat (too short, sync word,
/// version neither 1 nor 2); the Error's path is empty, the caller knows it.
Result<FileHeader> parse_file_header(Bytes bytes);

/// The block header at the start of `bytes`; nothing when `bytes` is too short.
std::optional<BlockHeader> parse_block_header(Bytes bytes, std::int32_t version);

/// Writes the 20 bytes of `header` to `out` (at least 20 bytes long).
void store_file_header(const FileHeader& header, MutableBytes out);

/// Writes a block header of `version` to `out` (at least block_header_bytes(version) long).
void store_block_header(const BlockHeader& header, std::int32_t version, MutableBytes out);

}  // namespace mark6::sg
