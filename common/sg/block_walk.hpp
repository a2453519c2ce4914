// SPDX-License-Identifier: MIT
// The walk of a version 2 fragment: from block header to block header by wb_size, and the way back
// to the chain where it is broken. In a healthy file every header is looked at once, and what the
// payloads hold never matters. Private to common/sg; the cases are in docs/reference/format.md.
#pragma once

#include <cstdint>
#include <optional>

#include "common/sg/resync.hpp"
#include "common/sg/walk_state.hpp"

namespace mark6::sg {

class BlockWalk {
 public:
  /// `block_size` is that of the file header, or 0 where that one cannot be right.
  BlockWalk(WalkState& walk, std::int32_t block_size);

  /// Walks to the end of the file.
  void run();

 private:
  using Offset = std::uint64_t;

  /// Takes the block at `block`; the offset at which to go on.
  Offset take(const Spot& block);
  /// The end of `block` by its own length, where what stands there bears it out.
  std::optional<Offset> chained_end(const Spot& block);
  /// The end of `block` where a block of the usual length would end, ignoring its own length.
  std::optional<Offset> usual_end(const Spot& block);
  /// Where only a doubtful header stands at `end`: a certain one before it. Payloads of small
  /// numbers look like block headers in front of each of their frames.
  std::optional<Offset> nearer_header(const Spot& block, Offset end);
  /// The end of a block longer than the file header allows, where that is right all the same.
  std::optional<Offset> overlong_end(const Spot& block);
  /// Takes what there is of a block with a length that leads nowhere, and looks for the next.
  Offset recover(const Spot& block);
  Offset keep_by_guess(const Spot& block, Offset end, bool found);
  /// A block that its own length would take beyond the end of the file.
  [[nodiscard]] bool is_truncated(const Spot& block) const;
  /// A block header stands at `next` whose length is wrong: its other properties tell.
  bool is_next_with_wrong_length(const Spot& next, std::optional<std::int32_t> before);
  /// At `end` ends the file, or a block begins that may follow the one numbered `before`.
  bool is_sure_end(Offset end, std::optional<std::int32_t> before);
  /// Passes over a block whose number cannot be right, or takes it if its successor agrees.
  Offset skip(const Spot& block);
  /// A piece at the end that is too short for a block header.
  void take_tail(Offset at);

  void keep(const Spot& block, Offset end);
  void report_wrong_length(const Spot& block);
  /// Payload of a full block, as far as it is known.
  [[nodiscard]] std::int64_t full_payload() const;

  WalkState& walk_;
  HeaderJudge judge_;
  Resync resync_;
  std::int64_t block_size_;
  std::int64_t longest_ = 0;  ///< longest block taken so far, header included
};

}  // namespace mark6::sg
