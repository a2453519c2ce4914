// SPDX-License-Identifier: MIT
// The fields of a VDIF frame header, taken from its words by shifts.
#include "common/vdif/header.hpp"

namespace mark6::vdif {
namespace {

constexpr std::uint32_t bits(std::uint32_t word, unsigned lowest, unsigned count) {
  return (word >> lowest) & ((1U << count) - 1U);
}

bool is_letter_or_digit(std::uint32_t c) {
  return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9');
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
    for (std::size_t i = 0; i < header.extended.size(); ++i) {
      header.extended[i] = load_le32(bytes, kLegacyHeaderBytes + 4 * i).value_or(0);
    }
    header.edv = static_cast<std::uint8_t>(bits(header.extended[0], 24, 8));
  }
  return header;
}

bool plausible(Bytes bytes, std::uint32_t frame_bytes) {
  const auto header = parse(bytes);
  if (!header) return false;
  if (header->frame_bytes <= header->header_bytes()) return false;
  if (frame_bytes == 0 || header->frame_bytes == frame_bytes) return true;
  // The recorder's fill packets count their header twice.
  return header->invalid && header->frame_bytes - kHeaderBytes == frame_bytes;
}

std::string station_text(std::uint16_t station) {
  const std::uint32_t first = station >> 8U;
  const std::uint32_t second = station & 0xFFU;
  if (!is_letter_or_digit(first) || !(second == 0 || is_letter_or_digit(second))) {
    return std::to_string(station);
  }
  std::string text(1, static_cast<char>(first));
  if (second != 0) text.push_back(static_cast<char>(second));
  return text;
}

std::string_view edv_name(std::uint8_t edv) {
  switch (edv) {
    case 0:
      return "none";
    case 1:
      return "NICT";
    case 2:
      return "ALMA";
    case 3:
      return "NRAO";
    case 4:
      return "multiplexed";
    case kEdvMark5b:
      return "Mark5B";
    default:
      return "unknown";
  }
}

std::optional<std::uint64_t> sample_rate_field(const Header& header) {
  constexpr std::uint32_t kSync = 0xacabfeed;
  if (header.legacy || (header.edv != 1 && header.edv != 3 && header.edv != 4)) return {};
  const std::uint64_t value = bits(header.extended[0], 0, 23);
  const bool is_mhz = bits(header.extended[0], 23, 1) != 0;
  if (header.extended[1] != kSync || value == 0) return {};
  return value * (is_mhz ? 1'000'000 : 1'000);
}

std::vector<std::uint32_t> frame_rate_candidates(const Header& header) {
  const auto rate = sample_rate_field(header);
  if (!rate || header.frame_bytes <= header.header_bytes()) return {};
  const std::uint64_t frame_bits = std::uint64_t{header.frame_bytes - header.header_bytes()} * 8;
  const auto frames = [&](std::uint64_t samples_per_second) -> std::uint32_t {
    const std::uint64_t sample_bits =
        std::uint64_t{header.bits_per_sample} * (header.complex ? 2 : 1);
    if (header.log2_channels > 16) return 0;  // 65536 channels: no such stream exists
    const std::uint64_t bit_rate = samples_per_second * (sample_bits << header.log2_channels);
    const std::uint64_t count = bit_rate / frame_bits;
    return bit_rate % frame_bits == 0 && count < kMaxFramesPerSecond
               ? static_cast<std::uint32_t>(count)
               : 0;
  };
  std::vector<std::uint32_t> candidates;
  if (!header.complex) candidates.push_back(frames(2 * *rate));
  candidates.push_back(frames(*rate));
  std::erase(candidates, 0U);
  return candidates;
}

}  // namespace mark6::vdif
