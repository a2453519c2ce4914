// SPDX-License-Identifier: MIT
// What the fuzz targets have in common: values taken one by one from the fuzzer's bytes (zero when
// they are used up, so that any input means something), and a check that ends the program.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <span>
#include <string_view>

#include "common/base/bytes.hpp"

namespace mark6::fuzz {

/// Ends the program, which libFuzzer takes for a finding, unless `right`.
inline void expect(bool right, const char* sentence) {
  if (right) return;
  std::fprintf(stderr, "NOT AS EXPECTED: %s\n", sentence);
  std::abort();
}

class Input {
 public:
  Input(const std::uint8_t* data, std::size_t size)
      : bytes_(std::as_bytes(std::span(data, size))) {}

  [[nodiscard]] bool empty() const { return bytes_.empty(); }
  std::uint32_t byte() { return number(1); }
  std::uint32_t u16() { return number(2); }
  std::uint32_t u32() { return number(4); }
  std::int32_t i32() { return static_cast<std::int32_t>(number(4)); }
  /// A number below `end` (at most 65536).
  std::uint32_t below(std::uint32_t end) { return (end <= 256 ? byte() : u16()) % end; }
  bool one_in(std::uint32_t count) { return byte() % count == 1; }

  /// What is left, without taking it.
  [[nodiscard]] Bytes rest() const { return bytes_; }
  [[nodiscard]] std::string_view rest_as_text() const {
    // NOLINTNEXTLINE(cppcoreguidelines-pro-type-reinterpret-cast): bytes as characters
    return {reinterpret_cast<const char*>(bytes_.data()), bytes_.size()};
  }

 private:
  std::uint32_t number(std::size_t count) {
    std::uint32_t value = 0;
    for (std::size_t i = 0; i < count && !bytes_.empty(); ++i) {
      value |= std::to_integer<std::uint32_t>(bytes_.front()) << (8 * i);
      bytes_ = bytes_.subspan(1);
    }
    return value;
  }

  Bytes bytes_;
};

}  // namespace mark6::fuzz

/// What libFuzzer calls; one in each target.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);
