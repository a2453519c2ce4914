// SPDX-License-Identifier: MIT
// Times of scans as text, always UTC.
#pragma once

#include <cstdint>
#include <string>

namespace mark6 {

/// "2015y080d08h35m03s": year, day of the year and time, as VLBI schedules write it.
std::string vlbi_time(std::int64_t unix_s);

/// "2015-03-21T08:35:03Z".
std::string iso_time(std::int64_t unix_s);

}  // namespace mark6
