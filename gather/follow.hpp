// SPDX-License-Identifier: MIT
// A scan that is still being recorded: looks at its fragments again and again, says which blocks
// can be delivered in the order of their numbers, and when the recording is over.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "common/base/environment.hpp"
#include "common/base/error.hpp"
#include "common/catalog/scan_opener.hpp"
#include "common/sg/fragment_tail.hpp"
#include "gather/inputs.hpp"
#include "gather/options.hpp"

namespace mark6::gather {

/// A file that has not changed for so long has no write under way.
inline constexpr std::int64_t kSettledNs = 2'000'000'000;
/// A number that all fragments have passed is waited for no longer than this.
inline constexpr std::int64_t kMissingNs = 5'000'000'000;

class Follower {
 public:
  /// The arguments of `options` name the scan alone. `environment` outlives it.
  Follower(const Options& options, const Environment& environment);

  /// Looks at all fragments, new ones too (`inputs` are renewed). The scan as far as it can be
  /// delivered now: what was in it before stays its beginning. Errors: kIo (a fragment was replaced
  /// or cut, or cannot be read), kBadFormat (a block turned up behind those delivered).
  Result<OpenedScanPtr> look(Inputs& inputs);

  /// The metadata say that the scan is recorded, or nothing has changed for --follow-timeout.
  [[nodiscard]] bool is_over(const Inputs& inputs) const;

  /// Whether `scan`, the finished recording, begins with what look() has given. Errors: kBadFormat.
  [[nodiscard]] Result<void> check_beginning(const OpenedScan& scan) const;

 private:
  struct Watched {
    sg::FragmentTail tail;
    FileIdentity identity;
    std::int64_t changed_ns = 0;
  };
  Result<void> look_at(const FragmentPath& fragment, std::optional<DataFile>& file);
  Result<void> advance();
  [[nodiscard]] std::vector<std::int32_t> numbers_from(std::int32_t number) const;

  Options options_;
  const Environment& environment_;
  std::map<std::string, Watched> watched_;  ///< by path
  std::int64_t changed_ns_;
  std::int32_t last_ = -1;  ///< number of the last block that can be delivered
  std::uint64_t blocks_ = 0;
  std::uint64_t bytes_ = 0;
  std::optional<std::int64_t> gap_since_ns_;
};

}  // namespace mark6::gather
