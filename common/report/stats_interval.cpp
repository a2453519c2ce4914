// SPDX-License-Identifier: MIT
// The interval of statistics as users write it. Pure.
#include <charconv>

#include "common/report/stats_exporter.hpp"

namespace mark6 {

Result<std::chrono::milliseconds> parse_stats_interval(const std::string& option,
                                                       const std::string& text) {
  constexpr double kShortest = 0.1;
  constexpr double kLongest = 86400;
  double value = 0;
  const char* const end = text.data() + text.size();
  const auto [rest, status] = std::from_chars(text.data(), end, value);
  if (status != std::errc{} || rest != end || !(value >= kShortest && value <= kLongest)) {
    return failure(ErrorCode::kUsage, option, "'" + text + "'", "seconds, 0.1 to 86400");
  }
  return std::chrono::milliseconds(static_cast<std::int64_t>(value * 1000));
}

}  // namespace mark6
