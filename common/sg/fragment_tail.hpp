// SPDX-License-Identifier: MIT
// The end of a fragment that is still being written: which blocks are complete. A block is, when
// the header behind it is there, or when the file ends with it and has not changed for a while.
// What is doubtful (reserved space of zeros, half a header, damage) is looked at again the next
// time, and never passed over: the walk of the finished fragment judges it. Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "common/base/byte_source.hpp"
#include "common/sg/fragment_walk.hpp"

namespace mark6::sg {

class FragmentTail {
 public:
  /// Takes the blocks that have become complete since the last look. `source` is the same file with
  /// the size it has now; `settled`: it has not changed for a while. Errors: those of the source.
  Result<void> look(ByteSource& source, bool settled);

  /// All complete blocks; their numbers ascend.
  [[nodiscard]] const std::vector<BlockPlace>& blocks() const { return blocks_; }
  [[nodiscard]] const std::optional<FileHeader>& header() const { return header_; }
  /// The byte behind the last complete block: a file that is shorter has been cut.
  [[nodiscard]] std::uint64_t end() const { return end_; }

 private:
  struct Next {
    std::int32_t number = 0;
    std::uint64_t bytes = 0;  ///< header included
  };
  /// The block that begins at `at`; nothing when no credible header stands there yet.
  Result<std::optional<Next>> next_at(ByteSource& source, std::uint64_t at,
                                      std::optional<std::int32_t> before) const;

  std::optional<FileHeader> header_;
  std::vector<BlockPlace> blocks_;
  std::uint64_t end_ = 0;
};

}  // namespace mark6::sg
