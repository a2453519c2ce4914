// SPDX-License-Identifier: MIT
// VDIF frame headers (public specification, release 1.1.1) and the sync word of Mark5B frames: just
// enough to know a frame when we see one and to tell its time. Pure.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include "common/base/bytes.hpp"

namespace mark6::vdif {

inline constexpr std::size_t kHeaderBytes = 32;
inline constexpr std::size_t kLegacyHeaderBytes = 16;
inline constexpr std::uint32_t kMark5bSyncWord = 0xabaddeed;
inline constexpr std::size_t kMark5bFrameBytes = 10016;

struct Header {
  bool invalid = false;
  bool legacy = false;        ///< 16-byte header
  std::uint32_t seconds = 0;  ///< since the reference epoch
  std::uint32_t frame_in_second = 0;
  std::uint32_t epoch = 0;        ///< half-years since 2000-01-01, modulo 64
  std::uint32_t frame_bytes = 0;  ///< header included
  std::uint32_t log2_channels = 0;
  std::uint32_t version = 0;
  std::uint16_t station = 0;
  std::uint16_t thread = 0;           ///< 0..1023
  std::uint32_t bits_per_sample = 0;  ///< 1..32
  bool complex = false;
  std::uint8_t edv = 0;  ///< extended data version; 0 for legacy headers
};

/// The header at the start of `bytes` (32 bytes, or 16 when it says legacy); nothing when `bytes`
/// is too short. Any bits give some header: see plausible().
std::optional<Header> parse(Bytes bytes);

/// Whether `bytes` start with what may be a frame of `frame_bytes` (0: of any sane length, 16 bytes
/// to 128 MiB). A fill packet of the recorder (invalid, length 32 bytes too long) is plausible.
bool plausible(Bytes bytes, std::uint32_t frame_bytes);

/// Whether `bytes` start with the sync word of a Mark5B frame.
bool is_mark5b(Bytes bytes);

/// Start of the second that the header names, in s since 1970-01-01 UTC. The 6-bit epoch rolls over
/// in 2032: the candidate closest to `hint_unix_s` (the file's date) is taken.
std::int64_t unix_seconds(const Header& header, std::int64_t hint_unix_s);

}  // namespace mark6::vdif
