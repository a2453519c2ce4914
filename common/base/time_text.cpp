// SPDX-License-Identifier: MIT
#include "common/base/time_text.hpp"

#include <fmt/format.h>

#include <chrono>

namespace mark6 {
namespace {

struct Moment {
  std::chrono::year_month_day date;
  std::int64_t day_of_year;
  std::chrono::hh_mm_ss<std::chrono::seconds> time;
};

Moment moment(std::int64_t unix_s) {
  using namespace std::chrono;
  const sys_seconds second{seconds(unix_s)};
  const sys_days day = floor<days>(second);
  const year_month_day date(day);
  return Moment{date, (day - sys_days(date.year() / January / 1)).count() + 1,
                hh_mm_ss(second - day)};
}

}  // namespace

std::string vlbi_time(std::int64_t unix_s) {
  const Moment at = moment(unix_s);
  return fmt::format("{:04}y{:03}d{:02}h{:02}m{:02}s", static_cast<int>(at.date.year()),
                     at.day_of_year, at.time.hours().count(), at.time.minutes().count(),
                     at.time.seconds().count());
}

std::string iso_time(std::int64_t unix_s) {
  const Moment at = moment(unix_s);
  return fmt::format("{:04}-{:02}-{:02}T{:02}:{:02}:{:02}Z", static_cast<int>(at.date.year()),
                     static_cast<unsigned>(at.date.month()), static_cast<unsigned>(at.date.day()),
                     at.time.hours().count(), at.time.minutes().count(), at.time.seconds().count());
}

}  // namespace mark6
