// SPDX-License-Identifier: MIT
// A snapshot as JSON, schema "mark6.stats/1" (docs/reference/stats.md), and back.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "common/base/error.hpp"
#include "common/report/stats.hpp"

namespace mark6 {

/// One object on one line, with a newline.
std::string stats_json(const StatsSnapshot& stats);

/// What the text begins with.
inline constexpr std::string_view kStatsJsonMark = R"({"schema":"mark6.stats/)";

/// One entry of "devices", without a newline: for programs that put it into an object of their own.
std::string device_json(const DeviceStats& device);

/// More than this is not a snapshot of ours.
inline constexpr std::size_t kStatsJsonLimit = std::size_t{16} << 20;

/// The snapshot in `text`. Keys that are missing or of another type keep their defaults, keys that
/// are not known are ignored; at most 4096 devices and 65536 streams are taken. Errors: kBadFormat
/// (no JSON, another schema, longer than kStatsJsonLimit).
Result<StatsSnapshot> parse_stats_json(std::string_view text);

}  // namespace mark6
