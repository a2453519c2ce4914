// SPDX-License-Identifier: MIT
#include "common/vdif/frame_order.hpp"

#include <cstdlib>

namespace mark6::vdif {

void FrameOrder::begin_at(std::int64_t number) {
  seen_.fill(0);
  floor_ = number;
  mark(number);
  next_ = number + 1;
}

void FrameOrder::set_suspect(std::optional<std::int64_t> number) {
  suspect_ = number;
  is_special_ = suspect_.has_value() || lost_blocks_;
}

void FrameOrder::start_anew() {
  end();
  left_off_ = next();
  next_ = kNowhere;
  lost_blocks_ = is_special_ = false;
}

void FrameOrder::end() {
  if (suspect_) ++counts_.wrong_times;
  set_suspect(std::nullopt);
}

/// Numbers in between have not been there.
void FrameOrder::step_ahead(std::int64_t number) {
  const std::int64_t missing = number - next_;
  (lost_blocks_ ? counts_.in_lost_blocks : counts_.missing) += static_cast<std::uint64_t>(missing);
  if (missing >= kWindow) {
    seen_.fill(0);
  } else {
    for (std::int64_t gone = next_; gone < number; ++gone) unmark(gone);
  }
  mark(number);
  next_ = number + 1;
  lost_blocks_ = false;
  set_suspect(suspect_);
}

bool FrameOrder::is_far_off(std::int64_t number) const {
  const std::int64_t step = number - next_;
  if (lost_blocks_ && step >= 0) return false;
  if (step != 0 && rate_ != 0 && step % rate_ == 0) return true;
  return step >= kWindow || step < -kWindow || number < floor_;
}

/// Two frames agree that time goes on at `number`: as a loss, where that is likelier than a jump.
void FrameOrder::settle(std::int64_t number) {
  const std::int64_t step = number - next_;
  const bool is_whole = rate_ != 0 && step % rate_ == 0;
  const bool is_loss = step > 0 && !is_whole && rate_ != 0 && step <= kLongestLossSeconds * rate_;
  if (is_loss) {
    step_ahead(number);
    return;
  }
  if (counts_.jumps++ == 0) counts_.first_jump_frames = step;
  begin_at(number);
}

void FrameOrder::add_unexpected(std::int64_t number) {
  if (next_ == kNowhere) {
    if (!started_) first_ = number;
    started_ = true;
    begin_at(number);
    return;
  }
  if (suspect_) {
    const std::int64_t before = *suspect_;
    set_suspect(std::nullopt);
    const std::int64_t behind = number - before;
    if (behind > 0 && behind <= kWindow / 8 && behind < std::abs(number - next_)) {
      settle(before);
    } else {
      ++counts_.wrong_times;
    }
    add(number);
    return;
  }
  const bool begins_second =
      rate_ == 0 && number % kUnknownRate == 0 && number / kUnknownRate == next_ / kUnknownRate + 1;
  if (begins_second) next_ = number;
  if (is_far_off(number)) {
    set_suspect(number);
  } else if (number >= next_) {
    step_ahead(number);
  } else if ((word_of(number) & bit_of(number)) != 0) {
    ++counts_.duplicates;
  } else {
    mark(number);
    ++counts_.out_of_order;
    if (counts_.missing > 0) --counts_.missing;
  }
}

}  // namespace mark6::vdif
