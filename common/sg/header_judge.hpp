// SPDX-License-Identifier: MIT
// Whether bytes in a version 2 fragment are a block header: alone, or with the help of what stands
// behind them. Private to common/sg.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>

#include "common/sg/fragment_reader.hpp"
#include "common/sg/walk_state.hpp"

namespace mark6::sg {

/// What would be a block, if a block header stood at `at`.
struct Spot {
  std::uint64_t at = 0;
  std::int32_t number = 0;
  std::int64_t length = 0;  ///< header included, as wb_size has it; any value
  bool has_frame = false;   ///< a frame of the fragment's packet size stands behind the header

  [[nodiscard]] std::uint64_t payload_at() const { return at + kBlockHeaderBytesV2; }
  /// Only where HeaderJudge::length_fits().
  [[nodiscard]] std::uint64_t end() const { return at + static_cast<std::uint64_t>(length); }
};

class HeaderJudge {
 public:
  /// `block_size` is 0 where it is not known.
  HeaderJudge(const WalkState& walk, std::int64_t block_size);

  /// Finds out whether the writer counted only the payload in wb_size, as some did before 2017.
  bool detect_old_writer();

  /// Looks at `at`; nothing where less than a header is left (or could be read).
  std::optional<Spot> look(std::uint64_t at);
  /// The same for bytes that are already at hand: a header and, if possible, 32 bytes behind it.
  [[nodiscard]] Spot interpret(std::uint64_t at, Bytes bytes) const;

  [[nodiscard]] bool is_frame(Bytes bytes) const;
  [[nodiscard]] bool length_fits(std::int64_t length) const {
    return length > static_cast<std::int64_t>(kBlockHeaderBytesV2) && length <= longest_allowed_;
  }
  /// length_fits() for a wb_size as it stands in the file.
  [[nodiscard]] bool wb_size_fits(std::int32_t wb_size) const {
    return length_fits(std::int64_t{wb_size} + not_counted_);
  }
  /// True for whole packets, and where it is not known what whole packets are.
  [[nodiscard]] bool is_whole_packets(std::int64_t length) const;
  /// A block was longer than the file header allows, and right.
  void allow_length(std::int64_t length) { longest_allowed_ = std::max(longest_allowed_, length); }

  /// A header that may follow the block numbered `before`, in a chain that holds otherwise.
  bool is_next(const Spot& spot, std::optional<std::int32_t> before);
  /// A length that what stands behind it bears out, whatever the number.
  bool is_sound(const Spot& spot);
  /// As is_next(), and what stands behind it bears it out: fit to resume a broken chain.
  bool is_certain(const Spot& spot, std::optional<std::int32_t> before);
  /// The block at `spot` ends with the file, or another one that may follow it begins there.
  bool leads_on(const Spot& spot);

 private:
  FragmentReader& reader_;
  std::uint32_t packet_size_;
  std::uint32_t packet_unit_;  ///< as in WalkState
  std::int64_t block_size_;
  std::int64_t longest_allowed_;
  std::int64_t not_counted_ = 0;  ///< header bytes that wb_size leaves out
};

}  // namespace mark6::sg
