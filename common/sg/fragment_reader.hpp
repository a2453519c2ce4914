// SPDX-License-Identifier: MIT
// How the walk reads a fragment: small looks at headers, the last one remembered so that a header
// looked at as the neighbour of one block is not read again as its own; and long pieces for a
// search. The first read error is kept and ends all reading. Private to common/sg.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "common/base/byte_source.hpp"

namespace mark6::sg {

/// Extent has 48 bits for a file offset; no real fragment comes near.
inline constexpr std::uint64_t kMaxFragmentBytes = std::uint64_t{1} << 48;

class FragmentReader {
 public:
  explicit FragmentReader(ByteSource& source);

  /// Bytes that can be walked: the source's size, at most kMaxFragmentBytes.
  [[nodiscard]] std::uint64_t size() const { return size_; }

  /// Up to kPeekBytes at `offset`: fewer than kLookBytes only at the end, none behind it or after
  /// an error. Valid until the next call.
  Bytes peek(std::uint64_t offset);

  /// Up to `count` bytes at `offset` (fewer only at the end, none after an error). Valid until the
  /// next call.
  Bytes load(std::uint64_t offset, std::size_t count);

  struct ReadError {
    std::uint64_t offset = 0;
    std::string reason;
  };
  /// The first error met, if any.
  [[nodiscard]] const std::optional<ReadError>& error() const { return error_; }

  /// A block header and the VDIF header behind it.
  static constexpr std::size_t kLookBytes = 40;
  static constexpr std::size_t kPeekBytes = 72;  ///< also the file header and the first frame's

 private:
  std::size_t read(std::uint64_t offset, MutableBytes into);

  ByteSource& source_;
  std::uint64_t size_;
  std::optional<ReadError> error_;
  std::array<std::byte, kPeekBytes> peeked_{};
  std::uint64_t peeked_at_ = 0;
  std::size_t peeked_bytes_ = 0;
  std::vector<std::byte> loaded_;
};

}  // namespace mark6::sg
