// SPDX-License-Identifier: MIT
// The deadline of reads as users write it. Pure.
#include <charconv>

#include "common/read/read_engine.hpp"

namespace mark6 {

Result<std::int64_t> parse_read_timeout(const std::string& option, const std::string& text) {
  constexpr double kLongest = 86400;
  double value = 0;
  const char* const end = text.data() + text.size();
  const auto [rest, status] = std::from_chars(text.data(), end, value);
  const bool fits = value == 0 || (value >= 0.1 && value <= kLongest);
  if (status != std::errc{} || rest != end || !fits) {
    return failure(ErrorCode::kUsage, option, "'" + text + "'",
                   "seconds, 0.1 to 86400, or 0 for no limit");
  }
  return static_cast<std::int64_t>(value * 1e9);
}

}  // namespace mark6
