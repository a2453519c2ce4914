// SPDX-License-Identifier: MIT
// The only source of chance in a synthetic recording: splitmix64, the same on every machine, so
// that a seed names a recording for good. Not for secrets.
#pragma once

#include <cstdint>

namespace mark6::synth {

/// `value` with all bits mixed (the finaliser of splitmix64): near values give unrelated results.
constexpr std::uint64_t mix(std::uint64_t value) {
  value = (value ^ (value >> 30)) * 0xBF58476D1CE4E5B9ULL;
  value = (value ^ (value >> 27)) * 0x94D049BB133111EBULL;
  return value ^ (value >> 31);
}

/// A sequence of random numbers that depends on the seed only.
class Random {
 public:
  explicit Random(std::uint64_t seed) : state_(mix(seed + kStep)) {}

  std::uint64_t next() { return mix(state_ += kStep); }
  /// Uniform in [0, 1).
  double uniform() { return static_cast<double>(next() >> 11) * 0x1.0p-53; }

 private:
  static constexpr std::uint64_t kStep = 0x9E3779B97F4A7C15ULL;
  std::uint64_t state_;
};

}  // namespace mark6::synth
