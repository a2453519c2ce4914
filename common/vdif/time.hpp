// SPDX-License-Identifier: MIT
// From what frame headers say to UTC. Pure.
//
// Source: "VLBI Data Interchange Format (VDIF) Specification", release 1.1.1 (June 2014), section
// 6, words 0 and 1: seconds are counted from a reference epoch, which is a half-year (00h UTC on 1
// January or 1 July) after 2000-01-01, modulo 64; frames are counted from 0 in each second. Seconds
// are taken to have no leap second between the epoch and the frame, as correlators do: a leap
// second can only fall on the border of two epochs.
#pragma once

#include <compare>
#include <cstdint>
#include <string>

#include "common/vdif/header.hpp"

namespace mark6::vdif {

/// An instant in UTC, to the nanosecond.
struct Time {
  std::int64_t unix_s = 0;        ///< s since 1970-01-01
  std::uint32_t nanoseconds = 0;  ///< 0..999'999'999
  auto operator<=>(const Time&) const = default;
};

/// When the half-year `half_years` after 2000-01-01 begins, s since 1970-01-01 UTC.
std::int64_t half_year_start(std::int64_t half_years);

/// When the reference epoch `epoch` (0..63) began. It stands for the half-years epoch, epoch + 64,
/// ... (32 years apart, first in 2032): the one for which `seconds` later is closest to
/// `hint_unix_s` is taken.
std::int64_t epoch_start(std::uint32_t epoch, std::uint32_t seconds, std::int64_t hint_unix_s);

/// Start of the second that the header names, in s since 1970-01-01 UTC. The 6-bit epoch rolls over
/// in 2032: the candidate closest to `hint_unix_s` (the file's date) is taken.
std::int64_t unix_seconds(const Header& header, std::int64_t hint_unix_s);

/// The instant at which frame `frame_in_second` of the second `unix_s` starts, rounded to the
/// nearest nanosecond; that of the second where `frames_per_second` is 0 (not known).
/// A frame number beyond the rate runs on into the seconds behind.
Time frame_time(std::int64_t unix_s, std::uint64_t frame_in_second,
                std::uint64_t frames_per_second);

/// The start of the frame that the header names.
Time frame_time(const Header& header, std::uint64_t frames_per_second, std::int64_t hint_unix_s);

/// `later` - `earlier` in s.
double seconds_between(const Time& earlier, const Time& later);

/// Modified Julian date, days (UTC, every day of 86400 s).
double mjd(const Time& time);
/// The whole days of it.
std::int64_t mjd_day(std::int64_t unix_s);
/// The second at which the day `mjd_day` begins, s since 1970-01-01.
std::int64_t unix_of_mjd(std::int64_t mjd_day);

/// "57102.35768519": 8 decimals (0.9 ms), rounded, as DiFX' vsum prints it and vex2difx reads it.
std::string mjd_text(const Time& time);

/// "2015y080d08h35m03s", or "2015y080d08h35m03.250000000s" where the second is not a whole one.
std::string vlbi_text(const Time& time);

/// "2015-03-21T08:35:03Z", or "2015-03-21T08:35:03.250000000Z" likewise.
std::string iso_text(const Time& time);

}  // namespace mark6::vdif
