// SPDX-License-Identifier: MIT
// Faults of the frames, planted on purpose: what a formatter, a network or a recorder does to a
// stream. Frames are counted as they were sent, over all threads, from 0; the plan tells which of
// them stands where in the stream as it was received. Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "common/base/error.hpp"

namespace mark6::synth {

enum class FaultKind {
  kDrop,       ///< the frame never arrived
  kDuplicate,  ///< the frame stands there twice
  kInvalid,    ///< its invalid bit is set
  kFill,       ///< the recorder's fill packet stands in its place
  kPattern,    ///< 0x11223344 throughout, header words too
  kLength,     ///< its header tells a length 8 bytes too long
  kJump,       ///< from the frame on, time is some seconds off
  kThread,     ///< from the frame on, a thread is missing
  kEpoch,      ///< from the frame on, seconds are counted from another reference epoch
};

/// The word on the command line and in JSON.
std::string_view to_string(FaultKind kind);

/// A fault as it is asked for: KIND:AMOUNT[@FRAME].
struct FaultRequest {
  FaultKind kind = FaultKind::kDrop;
  std::int64_t amount = 0;  ///< frames; seconds of a jump; number of a thread or an epoch
  std::optional<std::uint64_t>
      frame{};  ///< absent: single frames, as the seed decides, or half-way
};

/// Errors: kUsage.
Result<FaultRequest> parse_fault(const std::string& text);

/// A fault that is there. `count` is 0 where it lasts to the end (jump, thread, epoch).
struct PlantedFault {
  FaultKind kind = FaultKind::kDrop;
  std::uint64_t frame = 0;  ///< the first frame concerned, as sent
  std::uint64_t count = 0;
  std::int64_t amount = 0;
  std::uint64_t position = 0;  ///< of that frame (or of what is in its place) as received
};

class FaultPlan {
 public:
  FaultPlan() = default;
  /// Plans for a stream of `frames` received frames of `threads` threads that take turns. Errors:
  /// kUsage (behind the end, two faults of one frame, too many, no thread left).
  static Result<FaultPlan> make(const std::vector<FaultRequest>& requests, std::uint64_t frames,
                                std::uint32_t threads, std::uint64_t seed);

  [[nodiscard]] bool empty() const { return planted_.empty(); }
  /// In the order of frames.
  [[nodiscard]] const std::vector<PlantedFault>& planted() const { return planted_; }
  /// The frame, as sent, at `position` of the received stream.
  [[nodiscard]] std::uint64_t sent_frame(std::uint64_t position) const;
  /// What is wrong with this frame alone.
  [[nodiscard]] std::optional<FaultKind> of(std::uint64_t frame) const;
  /// Seconds by which the time of `frame` is off.
  [[nodiscard]] std::int64_t jump_s(std::uint64_t frame) const;
  /// The reference epoch of `frame` modulo 64, where it is not that of the first frame.
  [[nodiscard]] std::optional<std::uint32_t> epoch(std::uint64_t frame) const;

 private:
  struct Step {
    std::uint64_t position, frame;
  };
  Result<void> plant(const FaultRequest& request, std::uint64_t frames, std::uint32_t threads);
  Result<void> scatter(const FaultRequest& request, std::uint64_t frames, std::uint32_t threads,
                       std::uint64_t seed);
  [[nodiscard]] bool thread_missing(std::uint64_t frame, std::uint32_t threads) const;
  Result<void> lay_out(std::uint64_t frames, std::uint32_t threads);
  void sort();

  std::vector<PlantedFault> planted_;
  std::vector<PlantedFault> runs_;  ///< those of single frames, in the order of frames
  std::vector<PlantedFault> lasting_;
  std::vector<Step> steps_;  ///< where the received stream does not simply count on
};

}  // namespace mark6::synth
