// SPDX-License-Identifier: MIT
#include "common/base/units.hpp"

#include <fmt/format.h>

#include <array>
#include <cctype>
#include <charconv>
#include <cmath>

namespace mark6 {
namespace {

/// Multiplier of a suffix like "", "B", "k", "MB", "GiB", "Ti"; 0 when it is none of these.
double multiplier(std::string_view suffix) {
  if (suffix.empty() || suffix == "B") return 1;
  constexpr std::string_view kPrefixes = "KMGTP";
  // cppcheck-suppress containerOutOfBounds ; what is asked below is asked of the rest
  const auto letter = static_cast<unsigned char>(suffix.front());
  const auto power = kPrefixes.find(static_cast<char>(std::toupper(letter)));
  if (power == std::string_view::npos) return 0;
  suffix.remove_prefix(1);
  double base = 1000;
  if (!suffix.empty() && suffix.front() == 'i') {
    base = 1024;
    suffix.remove_prefix(1);
  }
  if (!suffix.empty() && suffix != "B") return 0;
  return std::pow(base, static_cast<double>(power + 1));
}

}  // namespace

Result<std::uint64_t> parse_bytes(std::string_view text) {
  double number = 0;
  const char* const end = text.data() + text.size();
  const auto [rest, status] = std::from_chars(text.data(), end, number, std::chars_format::fixed);
  const double factor =
      status == std::errc{} ? multiplier({rest, static_cast<std::size_t>(end - rest)}) : 0;
  constexpr double kLargest = 9.2e18;
  if (factor == 0 || number < 0 || !(number * factor < kLargest)) {
    return failure(ErrorCode::kUsage, "", fmt::format("'{}' is not a size", text),
                   "a number of bytes such as 4096, 64M, 1.5G or 64MiB");
  }
  // Whole numbers without a fraction are kept exact beyond the 53 bits of a double.
  std::uint64_t whole = 0;
  const auto [whole_rest, whole_status] = std::from_chars(text.data(), end, whole);
  if (whole_status == std::errc{} && whole_rest == rest && factor < 9e15) {
    return whole * static_cast<std::uint64_t>(factor);
  }
  return static_cast<std::uint64_t>(number * factor);
}

std::string format_bytes(std::uint64_t bytes) {
  constexpr std::array<const char*, 6> kUnits = {"B", "kB", "MB", "GB", "TB", "PB"};
  if (bytes < 1000) return fmt::format("{} B", bytes);
  double value = static_cast<double>(bytes);
  std::size_t unit = 0;
  while (value >= 999.5 && unit + 1 < kUnits.size()) {
    value /= 1000;
    ++unit;
  }
  const int decimals = value < 9.995 ? 2 : value < 99.95 ? 1 : 0;
  return fmt::format("{:.{}f} {}", value, decimals, kUnits[unit]);
}

std::string format_rate(std::uint64_t bytes, double seconds) {
  if (!(seconds > 0)) return "- MB/s";
  const double rate = static_cast<double>(bytes) / seconds;
  return fmt::format("{:.1f} MB/s ({:.2f} Gbit/s)", rate / 1e6, rate * 8 / 1e9);
}

std::string format_duration(double seconds) {
  if (seconds < 9.995) return fmt::format("{:.2f} s", seconds);
  if (seconds < 119.5) return fmt::format("{:.1f} s", seconds);
  const auto whole = static_cast<std::uint64_t>(std::llround(seconds));
  if (whole < 7200) return fmt::format("{} min {:02} s", whole / 60, whole % 60);
  return fmt::format("{} h {:02} min", whole / 3600, whole / 60 % 60);
}

}  // namespace mark6
