// SPDX-License-Identifier: MIT
// The fields of a VDIF frame header, taken from its words by shifts; and the calendar of its
// epochs.
#include "common/vdif/header.hpp"

#include <algorithm>
#include <chrono>
#include <cstdlib>

namespace mark6::vdif {
namespace {

constexpr std::uint32_t bits(std::uint32_t word, unsigned lowest, unsigned count) {
  return (word >> lowest) & ((1U << count) - 1U);
}

/// Midnight at which half-year `half_years` after 2000-01-01 begins, s since 1970.
std::int64_t half_year_start(std::int64_t half_years) {
  using namespace std::chrono;
  const year_month_day day{year(static_cast<int>(2000 + half_years / 2)),
                           month(half_years % 2 == 0 ? 1 : 7), std::chrono::day(1)};
  return duration_cast<seconds>(sys_days(day).time_since_epoch()).count();
}

}  // namespace

std::optional<Header> parse(Bytes bytes) {
  const auto w0 = load_le32(bytes, 0);
  const auto w1 = load_le32(bytes, 4);
  const auto w2 = load_le32(bytes, 8);
  const auto w3 = load_le32(bytes, 12);
  if (!w0 || !w1 || !w2 || !w3) return std::nullopt;
  Header header;
  header.seconds = bits(*w0, 0, 30);
  header.legacy = bits(*w0, 30, 1) != 0;
  header.invalid = bits(*w0, 31, 1) != 0;
  header.frame_in_second = bits(*w1, 0, 24);
  header.epoch = bits(*w1, 24, 6);
  header.frame_bytes = bits(*w2, 0, 24) * 8;
  header.log2_channels = bits(*w2, 24, 5);
  header.version = bits(*w2, 29, 3);
  header.station = static_cast<std::uint16_t>(bits(*w3, 0, 16));
  header.thread = static_cast<std::uint16_t>(bits(*w3, 16, 10));
  header.bits_per_sample = bits(*w3, 26, 5) + 1;
  header.complex = bits(*w3, 31, 1) != 0;
  if (!header.legacy) {
    if (bytes.size() < kHeaderBytes) return std::nullopt;
    header.edv = static_cast<std::uint8_t>(bits(load_le32(bytes, 16).value_or(0), 24, 8));
  }
  return header;
}

bool plausible(Bytes bytes, std::uint32_t frame_bytes) {
  const auto header = parse(bytes);
  if (!header) return false;
  const std::size_t header_bytes = header->legacy ? kLegacyHeaderBytes : kHeaderBytes;
  if (header->frame_bytes <= header_bytes) return false;
  if (frame_bytes == 0 || header->frame_bytes == frame_bytes) return true;
  // The recorder's fill packets count their header twice.
  return header->invalid && header->frame_bytes - kHeaderBytes == frame_bytes;
}

bool is_mark5b(Bytes bytes) { return load_le32(bytes, 0) == kMark5bSyncWord; }

std::int64_t unix_seconds(const Header& header, std::int64_t hint_unix_s) {
  constexpr std::int64_t kRolloverHalfYears = 64;
  constexpr std::int64_t kRollovers = 100;  // 3200 years: no file date is later
  const auto candidate = [&](std::int64_t rollover) {
    return half_year_start(header.epoch + rollover * kRolloverHalfYears) +
           static_cast<std::int64_t>(header.seconds);
  };
  // Any date may come in as a hint; beyond these bounds it would only overflow.
  const std::int64_t hint =
      std::clamp<std::int64_t>(hint_unix_s, 0, half_year_start(kRollovers * kRolloverHalfYears));
  std::int64_t best = candidate(0);
  for (std::int64_t rollover = 1; rollover <= kRollovers; ++rollover) {
    const std::int64_t next = candidate(rollover);
    if (std::abs(next - hint) >= std::abs(best - hint)) break;
    best = next;
  }
  return best;
}

}  // namespace mark6::vdif
