// SPDX-License-Identifier: MIT
// A fragment that has been walked, in the terms in which tests speak of it.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "common/sg/fragment_walk.hpp"
#include "tests/support/recording.hpp"

namespace mark6::test {

using Numbers = std::vector<std::int32_t>;
using Lines = std::vector<std::string>;

/// A fragment of full blocks (10 frames of 1032 bytes) with these numbers.
inline FragmentSpec healthy_fragment(const Numbers& numbers) {
  FragmentSpec spec;
  for (const std::int32_t number : numbers) {
    spec.blocks.push_back({number, vdif_frames(static_cast<std::uint32_t>(number) * 10U, 10)});
  }
  return spec;
}

inline std::vector<ByteVector> payloads_of(const FragmentSpec& spec) {
  std::vector<ByteVector> payloads;
  for (const BlockSpec& block : spec.blocks) payloads.push_back(block.payload);
  return payloads;
}

inline ByteVector mark5b_frames(std::uint32_t count) {
  ByteVector bytes;
  for (std::uint32_t i = 0; i < count; ++i) {
    append_le32(bytes, 0xabaddeedU);
    append(bytes, noise(10012, i));
  }
  return bytes;
}

struct Walked {
  ByteVector bytes;
  sg::Fragment fragment;

  explicit Walked(const FragmentSpec& spec) : Walked(fragment_bytes(spec)) {}
  explicit Walked(ByteVector file) : bytes(std::move(file)) {
    MemorySource source(bytes);
    fragment = sg::walk_fragment(source);
  }

  [[nodiscard]] Numbers numbers() const {
    Numbers all;
    for (const sg::BlockPlace& block : fragment.blocks) all.push_back(block.number.value);
    return all;
  }
  /// The bytes of each block found; a place outside the file throws.
  [[nodiscard]] std::vector<ByteVector> payloads() const {
    std::vector<ByteVector> all;
    for (const sg::BlockPlace& block : fragment.blocks) {
      const auto* begin = &bytes.at(block.payload_offset.value);
      static_cast<void>(bytes.at(block.payload_offset.value + block.payload_bytes - 1));
      all.emplace_back(begin, begin + block.payload_bytes);
    }
    return all;
  }
  [[nodiscard]] Lines damage() const {
    Lines lines;
    for (const sg::Damage& one : fragment.damage) lines.push_back(describe(one));
    return lines;
  }
};

}  // namespace mark6::test
