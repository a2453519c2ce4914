// SPDX-License-Identifier: MIT
// Where the pure parts of the format get their bytes from: a file on a disk, or an array in a test
// or fuzzer.
#pragma once

#include <cstddef>
#include <cstdint>

#include "common/base/bytes.hpp"
#include "common/base/error.hpp"
#include "common/base/units.hpp"

namespace mark6 {

class ByteSource {
 public:
  ByteSource() = default;
  ByteSource(const ByteSource&) = default;
  ByteSource(ByteSource&&) = default;
  ByteSource& operator=(const ByteSource&) = default;
  ByteSource& operator=(ByteSource&&) = default;
  virtual ~ByteSource() = default;

  /// Total bytes, as they were when the source was opened.
  [[nodiscard]] virtual std::uint64_t size() const = 0;

  /// Fills `into` from `offset` on; fewer bytes only where the source ends.
  virtual Result<std::size_t> read_at(FileOffset offset, MutableBytes into) = 0;
};

}  // namespace mark6
