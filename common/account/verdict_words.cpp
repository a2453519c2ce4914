// SPDX-License-Identifier: MIT
#include "common/account/verdict_words.hpp"

#include <fmt/format.h>

namespace mark6 {
namespace {

/// One digit behind the point below 10 (two below 1), none above.
std::string short_number(double value) {
  if (value < 0.995) return fmt::format("{:.2f}", value);
  return value < 9.95 ? fmt::format("{:.1f}", value) : fmt::format("{:.0f}", value);
}

}  // namespace

std::string milliseconds(double ns) {
  return ns < 999.5e6 ? short_number(ns * 1e-6) + " ms" : short_number(ns * 1e-9) + " s";
}

std::string rate_text(double bytes_per_s) { return short_number(bytes_per_s * 1e-6) + " MB/s"; }

std::string times_text(double times) { return short_number(times) + " x"; }

std::string disks_text(std::size_t disks) {
  return disks == 1 ? "disk" : fmt::format("{} disks", disks);
}

}  // namespace mark6
