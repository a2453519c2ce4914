// SPDX-License-Identifier: MIT
#include "common/sg/fragment_tail.hpp"

#include <array>

#include "common/sg/walk_state.hpp"

namespace mark6::sg {

Result<std::optional<FragmentTail::Next>> FragmentTail::next_at(
    ByteSource& source, std::uint64_t at, std::optional<std::int32_t> before) const {
  std::array<std::byte, kBlockHeaderBytesV2> bytes{};
  const std::size_t header_bytes = block_header_bytes(header_->version);
  if (at + header_bytes > source.size()) return std::nullopt;
  const auto read = source.read_at(FileOffset(at), MutableBytes(bytes).first(header_bytes));
  if (!read) return Failure(read.error());
  const auto block = parse_block_header(Bytes(bytes).first(*read), header_->version);
  if (!block || !ascends(block->number, before)) return std::nullopt;
  const std::int64_t length =
      header_->version == 1 ? std::int64_t{header_->block_size} : std::int64_t{block->wb_size};
  if (length <= static_cast<std::int64_t>(header_bytes) || length > header_->block_size) {
    return std::nullopt;
  }
  return Next{block->number, static_cast<std::uint64_t>(length)};
}

Result<void> FragmentTail::look(ByteSource& source, bool settled) {
  if (!header_) {
    std::array<std::byte, kFileHeaderBytes> bytes{};
    if (source.size() < bytes.size()) return {};
    const auto read = source.read_at(FileOffset(0), bytes);
    if (!read) return Failure(read.error());
    const auto header = parse_file_header(Bytes(bytes).first(*read));
    if (!header || header->block_size <= 0 || header->block_size > kMaxBlockBytes) return {};
    header_ = *header;
    end_ = kFileHeaderBytes;
  }
  const std::size_t header_bytes = block_header_bytes(header_->version);
  while (blocks_.size() < kMaxBlocks) {
    const auto before = blocks_.empty() ? std::nullopt : std::optional(blocks_.back().number.value);
    const auto block = next_at(source, end_, before);
    if (!block) return Failure(block.error());
    if (!*block) return {};
    const std::uint64_t behind = end_ + (*block)->bytes;
    if (behind > source.size()) return {};
    bool complete = settled && behind == source.size();
    if (!complete) {
      const auto after = next_at(source, behind, (*block)->number);
      if (!after) return Failure(after.error());
      complete = after->has_value();
    }
    if (!complete) return {};
    blocks_.push_back({FileOffset(end_ + header_bytes),
                       static_cast<std::uint32_t>((*block)->bytes - header_bytes),
                       BlockNumber((*block)->number)});
    end_ = behind;
  }
  return {};
}

}  // namespace mark6::sg
