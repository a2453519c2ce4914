// SPDX-License-Identifier: MIT
// The calendar of the reference epochs, and instants as text.
#include "common/vdif/time.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>

#include "common/base/time_text.hpp"

namespace mark6::vdif {
namespace {

constexpr std::int64_t kSecondsPerDay = 86'400;
constexpr std::int64_t kMjdOf1970 = 40'587;
constexpr std::uint64_t kNanosecondsPerSecond = 1'000'000'000;
constexpr std::int64_t kRolloverHalfYears = 64;
constexpr std::int64_t kRollovers = 100;  // 3200 years: no file date is later

}  // namespace

std::int64_t half_year_start(std::int64_t half_years) {
  using namespace std::chrono;
  const year_month_day day{year(static_cast<int>(2000 + half_years / 2)),
                           month(half_years % 2 == 0 ? 1 : 7), std::chrono::day(1)};
  return duration_cast<seconds>(sys_days(day).time_since_epoch()).count();
}

std::int64_t epoch_start(std::uint32_t epoch, std::uint32_t seconds, std::int64_t hint_unix_s) {
  // Any date may come in as a hint; beyond these bounds it would only overflow.
  const std::int64_t hint =
      std::clamp<std::int64_t>(hint_unix_s, 0, half_year_start(kRollovers * kRolloverHalfYears));
  const auto distance = [&](std::int64_t start) {
    return std::abs(start + static_cast<std::int64_t>(seconds) - hint);
  };
  std::int64_t best = half_year_start(epoch);
  for (std::int64_t rollover = 1; rollover <= kRollovers; ++rollover) {
    const std::int64_t next = half_year_start(epoch + rollover * kRolloverHalfYears);
    if (distance(next) >= distance(best)) break;
    best = next;
  }
  return best;
}

std::int64_t unix_seconds(const Header& header, std::int64_t hint_unix_s) {
  return epoch_start(header.epoch, header.seconds, hint_unix_s) +
         static_cast<std::int64_t>(header.seconds);
}

Time frame_time(std::int64_t unix_s, std::uint64_t frame_in_second,
                std::uint64_t frames_per_second) {
  if (frames_per_second == 0) return {unix_s, 0};
  Time time;
  time.unix_s = unix_s + static_cast<std::int64_t>(frame_in_second / frames_per_second);
  // Frame numbers have 24 bits and nanoseconds 30, so this does not overflow.
  const std::uint64_t rest = (frame_in_second % frames_per_second) * kNanosecondsPerSecond;
  const std::uint64_t nanoseconds = (rest + frames_per_second / 2) / frames_per_second;
  time.unix_s += static_cast<std::int64_t>(nanoseconds / kNanosecondsPerSecond);
  time.nanoseconds = static_cast<std::uint32_t>(nanoseconds % kNanosecondsPerSecond);
  return time;
}

Time frame_time(const Header& header, std::uint64_t frames_per_second, std::int64_t hint_unix_s) {
  return frame_time(unix_seconds(header, hint_unix_s), header.frame_in_second, frames_per_second);
}

double seconds_between(const Time& earlier, const Time& later) {
  return static_cast<double>(later.unix_s - earlier.unix_s) +
         (static_cast<double>(later.nanoseconds) - static_cast<double>(earlier.nanoseconds)) / 1e9;
}

double mjd(const Time& time) {
  const std::int64_t day = mjd_day(time.unix_s);
  const double second = static_cast<double>(time.unix_s - unix_of_mjd(day)) +
                        static_cast<double>(time.nanoseconds) / 1e9;
  return static_cast<double>(day) + second / static_cast<double>(kSecondsPerDay);
}

std::int64_t mjd_day(std::int64_t unix_s) {
  const std::int64_t day = unix_s / kSecondsPerDay - (unix_s % kSecondsPerDay < 0 ? 1 : 0);
  return day + kMjdOf1970;
}

std::int64_t unix_of_mjd(std::int64_t mjd_day) { return (mjd_day - kMjdOf1970) * kSecondsPerDay; }

std::string mjd_text(const Time& time) { return fmt::format("{:.8f}", mjd(time)); }

namespace {

/// `text` ends with the letter behind its second: the fraction is put in front of that.
std::string with_fraction(std::string text, std::uint32_t nanoseconds) {
  if (nanoseconds == 0) return text;
  const char letter = text.back();
  text.pop_back();
  return text + fmt::format(".{:09}{}", nanoseconds, letter);
}

}  // namespace

std::string vlbi_text(const Time& time) {
  return with_fraction(vlbi_time(time.unix_s), time.nanoseconds);
}

std::string iso_text(const Time& time) {
  return with_fraction(iso_time(time.unix_s), time.nanoseconds);
}

}  // namespace mark6::vdif
