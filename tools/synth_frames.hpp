// SPDX-License-Identifier: MIT
// The bytes of the frames: VDIF headers whose time runs on, and a payload that looks random. Every
// 8 KiB of every frame differ from all others, so that a frame or block out of its place changes
// the hash; yet they cost little more than a copy, since they are cut from one random table.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "common/base/bytes.hpp"
#include "common/vdif/header.hpp"
#include "tools/synth_faults.hpp"
#include "tools/synth_options.hpp"

namespace mark6::synth {

/// Start of a VDIF reference epoch (half-years since 2000-01-01) and its number.
struct ReferenceEpoch {
  std::uint32_t number = 0;  ///< not reduced modulo 64
  std::int64_t unix_s = 0;
};

/// The last reference epoch that begins at or before `unix_s` (2000 or later).
ReferenceEpoch epoch_of(std::int64_t unix_s);

/// When reference epoch `number` begins, s since 1970 UTC.
std::int64_t epoch_start(std::uint32_t number);

class FrameMaker {
 public:
  /// Frames as `options` describe them. Errors: kUsage (an --epoch that lies behind the start, or
  /// so long before it that VDIF cannot count the seconds; a fault that leads out of that range).
  static Result<FrameMaker> make(const SynthOptions& options, FaultPlan faults = {});

  /// Writes frames first .. first + count - 1 as they are received, where `count` frames are what
  /// `out` holds.
  void fill(std::uint64_t first_frame, std::span<std::uint64_t> out) const;

  /// Writes the VDIF header of the frame at `position` to `out` (at least vdif::kHeaderBytes long).
  void store_header(std::uint64_t position, MutableBytes out) const;

 private:
  FrameMaker() = default;
  void store_header_of(std::uint64_t frame, MutableBytes out) const;
  void spoil_header(FaultKind kind, MutableBytes out) const;
  void fill_payload(std::uint64_t frame, std::span<std::uint64_t> out) const;
  Result<void> check_faults() const;

  std::size_t frame_words_ = 0;  ///< words of 8 bytes in a frame, header included
  std::uint32_t frame_rate_ = 1;
  std::uint32_t threads_ = 1;
  std::uint32_t epoch_ = 0;
  std::uint32_t first_second_ = 0;  ///< since the epoch
  std::uint32_t word2_ = 0;         ///< frame length, channels
  std::uint32_t word3_ = 0;         ///< bits, station; the thread is put in
  std::uint64_t seed_ = 0;
  std::int64_t start_unix_s_ = 0;
  FaultPlan faults_;
  std::vector<std::uint64_t> table_;
};

}  // namespace mark6::synth
