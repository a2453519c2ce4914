// SPDX-License-Identifier: MIT
// Bytes to headers and back. Nothing is judged here but what makes the rest unreadable: the sync
// word and the version.
#include "common/sg/format.hpp"

#include <fmt/format.h>

namespace mark6::sg {

Result<FileHeader> parse_file_header(Bytes bytes) {
  if (bytes.size() < kFileHeaderBytes) {
    return failure(ErrorCode::kBadFormat, {}, fmt::format("only {} bytes", bytes.size()),
                   "a Mark6 file header of 20 bytes");
  }
  const std::uint32_t sync = load_le32(bytes, 0).value_or(0);
  if (sync != kSyncWord) {
    return failure(ErrorCode::kBadFormat, {}, fmt::format("sync word 0x{:08x}", sync),
                   fmt::format("0x{:08x}, the sync word of a Mark6 file", kSyncWord));
  }
  FileHeader header;
  header.version = load_le_i32(bytes, 4).value_or(0);
  header.block_size = load_le_i32(bytes, 8).value_or(0);
  header.packet_format = load_le_i32(bytes, 12).value_or(0);
  header.packet_size = load_le_i32(bytes, 16).value_or(0);
  if (header.version != 1 && header.version != 2) {
    return failure(ErrorCode::kBadFormat, {}, fmt::format("version {}", header.version),
                   "version 1 or 2 of the Mark6 format");
  }
  return header;
}

std::optional<BlockHeader> parse_block_header(Bytes bytes, std::int32_t version) {
  if (bytes.size() < block_header_bytes(version)) return std::nullopt;
  BlockHeader header;
  header.number = load_le_i32(bytes, 0).value_or(0);
  if (version != 1) header.wb_size = load_le_i32(bytes, 4).value_or(0);
  return header;
}

void store_file_header(const FileHeader& header, MutableBytes out) {
  store_le32(out, 0, kSyncWord);
  store_le32(out, 4, static_cast<std::uint32_t>(header.version));
  store_le32(out, 8, static_cast<std::uint32_t>(header.block_size));
  store_le32(out, 12, static_cast<std::uint32_t>(header.packet_format));
  store_le32(out, 16, static_cast<std::uint32_t>(header.packet_size));
}

void store_block_header(const BlockHeader& header, std::int32_t version, MutableBytes out) {
  store_le32(out, 0, static_cast<std::uint32_t>(header.number));
  if (version != 1) store_le32(out, 4, static_cast<std::uint32_t>(header.wb_size));
}

}  // namespace mark6::sg
