// SPDX-License-Identifier: MIT
// The time code is binary-coded decimal: 'JJJSSSSS' in word 2, '.SSSS' in the upper half of word 3.
#include "common/vdif/mark5b.hpp"

#include <array>

namespace mark6::vdif {
namespace {

constexpr std::uint32_t kSecondsPerDay = 86'400;
constexpr std::int64_t kDaysOfCode = 1000;
constexpr std::uint32_t kNanosecondsOfFraction = 100'000;

/// The last `count` decimal digits of a BCD word; nothing when one of them is none.
std::optional<std::uint32_t> decimal(std::uint32_t bcd, int count) {
  std::uint32_t value = 0;
  for (int i = count - 1; i >= 0; --i) {
    const std::uint32_t digit = (bcd >> (4 * i)) & 0xFU;
    if (digit > 9) return std::nullopt;
    value = value * 10 + digit;
  }
  return value;
}

std::optional<Mark5bHeader> from_words(const std::array<std::uint32_t, 4>& words) {
  if (words[0] != kMark5bSyncWord) return std::nullopt;
  const auto day = decimal(words[2] >> 20, 3);
  const auto second = decimal(words[2] & 0xFFFFFU, 5);
  if (!day || !second || *second >= kSecondsPerDay) return std::nullopt;
  Mark5bHeader header;
  header.frame_in_second = words[1] & 0x7FFFU;
  header.test_vector = (words[1] & 0x8000U) != 0;
  header.user = static_cast<std::uint16_t>(words[1] >> 16);
  header.day = *day;
  header.second_of_day = *second;
  // Some recorders leave the fraction out; digits that are none must not cost the second.
  header.fraction_100us = decimal(words[3] >> 16, 4).value_or(0);
  return header;
}

}  // namespace

bool is_mark5b(Bytes bytes) { return load_le32(bytes, 0) == kMark5bSyncWord; }

std::optional<Mark5bHeader> parse_mark5b(Bytes bytes) {
  std::array<std::uint32_t, 4> words{};
  for (std::size_t i = 0; i < words.size(); ++i) {
    const auto word = load_le32(bytes, 4 * i);
    if (!word) return std::nullopt;
    words[i] = *word;
  }
  return from_words(words);
}

std::optional<Mark5bHeader> mark5b_of(const Header& header) {
  if (header.legacy || header.edv != kEdvMark5b) return std::nullopt;
  return from_words(header.extended);
}

std::int64_t unix_seconds(const Mark5bHeader& header, std::int64_t hint_unix_s) {
  const std::int64_t last_day = mjd_day(hint_unix_s) + 1;  // a day for clocks that disagree
  const std::int64_t ahead = last_day - static_cast<std::int64_t>(header.day);
  const std::int64_t days_before = (ahead % kDaysOfCode + kDaysOfCode) % kDaysOfCode;
  return unix_of_mjd(last_day - days_before) + static_cast<std::int64_t>(header.second_of_day);
}

Time frame_time(const Mark5bHeader& header, std::uint64_t frames_per_second,
                std::int64_t hint_unix_s) {
  const std::int64_t second = unix_seconds(header, hint_unix_s);
  if (frames_per_second == 0) return {second, header.fraction_100us * kNanosecondsOfFraction};
  return frame_time(second, header.frame_in_second, frames_per_second);
}

}  // namespace mark6::vdif
