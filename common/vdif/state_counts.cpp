// SPDX-License-Identifier: MIT
#include "common/vdif/state_counts.hpp"

#include <bit>
#include <cstring>

namespace mark6::vdif {
namespace {

/// Ones in odd places (the upper bit of each pair) and in even ones, and both together.
struct Ones {
  std::uint64_t upper = 0, lower = 0, both = 0;
};

}  // namespace

double StateCounts::asymmetry(std::uint32_t bits_per_sample) const {
  const std::uint64_t all = total();
  if (all == 0) return 0;
  const std::uint64_t above = bits_per_sample == 1 ? counts[1] : counts[2] + counts[3];
  return (2 * static_cast<double>(above) - static_cast<double>(all)) / static_cast<double>(all);
}

void count_states(Bytes payload, std::uint32_t bits_per_sample, StateCounts& into) {
  constexpr std::uint64_t kEven = 0x5555555555555555;
  Ones ones;
  const std::size_t words = payload.size() / 8;
  for (std::size_t i = 0; i < words; ++i) {
    std::uint64_t word = 0;  // the order of bytes does not matter to a count of states
    std::memcpy(&word, payload.data() + 8 * i, sizeof word);
    const std::uint64_t upper = (word >> 1U) & kEven;
    const std::uint64_t lower = word & kEven;
    ones.upper += static_cast<std::uint64_t>(std::popcount(upper));
    ones.lower += static_cast<std::uint64_t>(std::popcount(lower));
    ones.both += static_cast<std::uint64_t>(std::popcount(upper & lower));
  }
  ++into.frames;
  if (bits_per_sample == 1) {
    into.counts[1] += ones.upper + ones.lower;
    into.counts[0] += words * 64 - ones.upper - ones.lower;
    return;
  }
  into.counts[3] += ones.both;
  into.counts[2] += ones.upper - ones.both;
  into.counts[1] += ones.lower - ones.both;
  into.counts[0] += words * 32 - ones.upper - ones.lower + ones.both;
}

}  // namespace mark6::vdif
