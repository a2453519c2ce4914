// SPDX-License-Identifier: MIT
// How often each state of a sample stands in the data: what the levels of a sampler are judged by.
// For samples of 1 and 2 bits, all channels together. Pure.
#pragma once

#include <array>
#include <cstdint>

#include "common/base/bytes.hpp"

namespace mark6::vdif {

struct StateCounts {
  /// By value: 00 (the most negative), 01, 10, 11; for 1 bit the first two.
  std::array<std::uint64_t, 4> counts{};
  std::uint64_t frames = 0;  ///< whose samples these are

  [[nodiscard]] std::uint64_t total() const {
    return counts[0] + counts[1] + counts[2] + counts[3];
  }
  /// (samples above 0 - those below) / all, -1..1; 0 without samples.
  [[nodiscard]] double asymmetry(std::uint32_t bits_per_sample) const;
};

/// Whether states are counted for samples of so many bits.
constexpr bool has_states(std::uint32_t bits_per_sample) {
  return bits_per_sample == 1 || bits_per_sample == 2;
}

/// Counts the samples of one frame's `payload`: a whole number of words of 32 bits, what is over is
/// left out.
void count_states(Bytes payload, std::uint32_t bits_per_sample, StateCounts& into);

}  // namespace mark6::vdif
