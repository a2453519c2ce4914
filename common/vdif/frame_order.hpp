// SPDX-License-Identifier: MIT
// The frames of one thread in the order in which they stand in the scan: which numbers are missing,
// stand twice, come late, and where time jumps. Numbers are counted on over seconds. Pure.
//
// A number far off is believed only when the frame behind it agrees, so that one corrupted header
// is one frame with a wrong time and nothing else.
#pragma once

#include <array>
#include <cstdint>
#include <limits>
#include <optional>

namespace mark6::vdif {

/// What was found so far.
struct OrderCounts {
  std::uint64_t missing = 0;           ///< numbers between the first and the last that never came
  std::uint64_t in_lost_blocks = 0;    ///< the same, across blocks that are known to be missing
  std::uint64_t duplicates = 0;        ///< frames whose number has been there already
  std::uint64_t out_of_order = 0;      ///< frames that came behind a higher number
  std::uint64_t wrong_times = 0;       ///< single frames whose time agrees with no neighbour
  std::uint64_t jumps = 0;             ///< times from which on all frames are off
  std::int64_t first_jump_frames = 0;  ///< how far the first of them went
};

class FrameOrder {
 public:
  /// Frames that may come late, or twice, and are recognised.
  static constexpr std::int64_t kWindow = 1024;
  /// A step ahead by more seconds is a jump, not a loss.
  static constexpr std::int64_t kLongestLossSeconds = 10;

  /// Where the rate is not known, seconds are so many numbers apart.
  static constexpr std::int64_t kUnknownRate = std::int64_t{1} << 24;

  /// `frames_per_second`: 0 where it is not known; then no step by whole seconds is recognised.
  explicit FrameOrder(std::uint32_t frames_per_second) : rate_(frames_per_second) {}

  /// The next frame of the thread has `number`. In the usual case this is a comparison and a bit.
  void add(std::int64_t number) {
    if (number == next_ && !is_special_) {
      mark(number);
      ++next_;
    } else {
      add_unexpected(number);
    }
  }
  /// Whether `number` is due, or would be after a small loss: for frames whose time may be
  /// undefined.
  [[nodiscard]] bool is_near(std::int64_t number) const {
    return next_ != kNowhere && number >= next_ && number < next_ + kWindow;
  }
  /// Blocks are missing here, whatever was in them.
  void lose_blocks() { lost_blocks_ = is_special_ = true; }
  /// What comes now has nothing to do with what was: nothing in between is counted.
  void start_anew();
  /// No more frames come.
  void end();

  [[nodiscard]] const OrderCounts& counts() const { return counts_; }
  [[nodiscard]] bool started() const { return started_; }
  [[nodiscard]] std::int64_t first() const { return first_; }
  /// One more than the last number, of the part before where a new one has not begun.
  [[nodiscard]] std::int64_t next() const { return next_ != kNowhere ? next_ : left_off_; }

 private:
  static constexpr std::int64_t kNowhere = std::numeric_limits<std::int64_t>::min();

  void add_unexpected(std::int64_t number);
  void begin_at(std::int64_t number);
  void step_ahead(std::int64_t number);
  void settle(std::int64_t number);
  void set_suspect(std::optional<std::int64_t> number);
  [[nodiscard]] bool is_far_off(std::int64_t number) const;

  [[nodiscard]] std::uint64_t& word_of(std::int64_t number) {
    return seen_[static_cast<std::size_t>(number & (kWindow - 1)) / 64];
  }
  static std::uint64_t bit_of(std::int64_t number) { return std::uint64_t{1} << (number & 63); }
  void mark(std::int64_t number) { word_of(number) |= bit_of(number); }
  void unmark(std::int64_t number) { word_of(number) &= ~bit_of(number); }

  std::int64_t rate_;
  bool started_ = false;
  bool is_special_ = false;  ///< there is a suspect, or blocks have been lost
  bool lost_blocks_ = false;
  std::int64_t first_ = 0;
  std::int64_t floor_ = 0;  ///< lowest number that is known to have been there or not
  std::int64_t next_ = kNowhere;
  std::int64_t left_off_ = 0;            ///< next_ before it started anew
  std::optional<std::int64_t> suspect_;  ///< a number far off, until the next frame comes
  std::array<std::uint64_t, kWindow / 64> seen_{};
  OrderCounts counts_;
};

}  // namespace mark6::vdif
