// SPDX-License-Identifier: MIT
// Writes small Mark6 recordings into memory, healthy or damaged on purpose: a test says which
// blocks stand in which fragment and gets the bytes of each file. Independent of common/sg, so that
// a misunderstanding of the format there is not repeated here.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "common/base/byte_source.hpp"

namespace mark6::test {

using ByteVector = std::vector<std::byte>;

struct FrameShape {
  std::uint32_t bytes = 1032;  ///< header included
  std::uint16_t thread = 0;
  bool invalid = false;
  std::uint32_t length_excess = 0;  ///< added to the length in the header, as in fill packets
};

/// VDIF frame number `index` of a stream with 100 frames per second; its payload depends on `index`
/// and `seed` only.
ByteVector vdif_frame(std::uint32_t index, const FrameShape& shape = {}, std::uint32_t seed = 0);

/// `count` such frames, one behind the other, from frame `first` on.
ByteVector vdif_frames(std::uint32_t first, std::uint32_t count, const FrameShape& shape = {});

/// `count` bytes that are no frames, a function of `seed`.
ByteVector noise(std::size_t count, std::uint32_t seed);

struct BlockSpec {
  std::int32_t number = 0;
  ByteVector payload;
  std::optional<std::int32_t> wb_size{};  ///< as it stands in the file; by default the right one
};

struct FragmentSpec {
  std::uint32_t sync_word = 0xfeed6666;
  std::int32_t version = 2;
  std::int32_t block_size = 10 * 1032 + 8;
  std::int32_t packet_format = 0;
  std::int32_t packet_size = 1032;
  bool old_wb_size = false;  ///< wb_size counts the payload only
  std::vector<BlockSpec> blocks{};
};

/// The bytes of the fragment's file.
ByteVector fragment_bytes(const FragmentSpec& spec);

/// Where block `index` of `spec` begins in its file (its header).
std::uint64_t block_offset(const FragmentSpec& spec, std::size_t index);

/// Whether two hold the same; at the speed of memcmp, which == on vectors of bytes is not.
bool same(const ByteVector& a, const ByteVector& b);

void append(ByteVector& to, const ByteVector& bytes);
void append_le32(ByteVector& to, std::uint32_t value);

/// Bytes in memory as a source that counts its reads and can fail.
class MemorySource final : public ByteSource {
 public:
  explicit MemorySource(ByteVector bytes) : bytes_(std::move(bytes)), size_(bytes_.size()) {}
  /// A file of `size` bytes that begins with `bytes` and is zero behind them.
  MemorySource(ByteVector bytes, std::uint64_t size) : bytes_(std::move(bytes)), size_(size) {}

  [[nodiscard]] std::uint64_t size() const override { return size_; }
  Result<std::size_t> read_at(FileOffset offset, MutableBytes into) override;

  /// Reads that touch byte `offset` fail from now on.
  void fail_at(std::uint64_t offset) { bad_byte_ = offset; }
  [[nodiscard]] std::uint64_t reads() const { return reads_; }
  [[nodiscard]] std::uint64_t bytes_read() const { return bytes_read_; }

 private:
  ByteVector bytes_;
  std::uint64_t size_;
  std::optional<std::uint64_t> bad_byte_;
  std::uint64_t reads_ = 0;
  std::uint64_t bytes_read_ = 0;
};

}  // namespace mark6::test
