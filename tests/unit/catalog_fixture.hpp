// SPDX-License-Identifier: MIT
// For the tests of the catalog and of `mark6 list`: private directories, and small recordings
// written byte by byte, independently of the code that is tested.
#pragma once

#include <catch2/catch.hpp>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "tests/support/temporary.hpp"

namespace mark6::test {

namespace fs = std::filesystem;

/// A private directory with its paths as strings.
class TempDir : public TemporaryDirectory {
 public:
  [[nodiscard]] std::string path() const { return TemporaryDirectory::path().string(); }
  [[nodiscard]] std::string operator/(const std::string& name) const { return path() + "/" + name; }
  std::string mkdir(const std::string& name) const {
    fs::create_directories(*this / name);
    return *this / name;
  }
};

inline std::string le32(std::uint32_t value) {
  std::string bytes;
  for (int i = 0; i < 4; ++i) bytes.push_back(static_cast<char>((value >> (8 * i)) & 0xFFU));
  return bytes;
}

inline constexpr std::uint32_t kPacketBytes = 1032;
inline constexpr std::uint32_t kPacketsPerBlock = 4;
inline constexpr std::uint32_t kPayloadBytes = kPacketBytes * kPacketsPerBlock;

/// 2015-03-21T08:35:03Z is epoch 30 (2015-01-01) and so many seconds.
inline constexpr std::uint32_t kEpoch = 30;
inline constexpr std::uint32_t kEpochSeconds = 79 * 86'400 + 8 * 3600 + 35 * 60 + 3;
inline constexpr std::int64_t kStartUnix = 1'426'926'903;

/// One VDIF frame of kPacketBytes.
inline std::string vdif_frame(std::uint32_t seconds, std::uint32_t frame, bool invalid = false) {
  std::string bytes = le32(seconds | (invalid ? 0x80000000U : 0U)) + le32(frame | (kEpoch << 24)) +
                      le32(kPacketBytes / 8) + le32((1U << 26) | ('A' | ('a' << 8))) +
                      std::string(16, '\0');
  bytes.resize(kPacketBytes, static_cast<char>(frame & 0x7FU));
  return bytes;
}

/// A fill packet of the recorder: no time, and a length field 32 bytes too long.
inline std::string fill_packet() {
  std::string bytes =
      le32(0x80000000U) + le32(0) + le32((kPacketBytes + 32) / 8) + std::string(20, '\0');
  while (bytes.size() < kPacketBytes) bytes += le32(0x11223344);
  return bytes;
}

/// The payload of block `number`: frames that count on through the scan.
inline std::string payload(std::uint32_t number) {
  std::string bytes;
  for (std::uint32_t i = 0; i < kPacketsPerBlock; ++i) {
    bytes += vdif_frame(kEpochSeconds, number * kPacketsPerBlock + i);
  }
  return bytes;
}

inline std::string file_header(std::uint32_t packet_bytes = kPacketBytes,
                               std::uint32_t payload_bytes = kPayloadBytes) {
  return le32(0xfeed6666U) + le32(2) + le32(payload_bytes + 8) + le32(0) + le32(packet_bytes);
}

inline std::string block(std::uint32_t number, const std::string& bytes) {
  return le32(number) + le32(static_cast<std::uint32_t>(bytes.size()) + 8) + bytes;
}

/// A fragment with these blocks.
inline std::string fragment(const std::vector<std::uint32_t>& numbers) {
  std::string bytes = file_header();
  for (const std::uint32_t number : numbers) bytes += block(number, payload(number));
  return bytes;
}

}  // namespace mark6::test
