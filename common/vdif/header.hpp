// SPDX-License-Identifier: MIT
// VDIF frame headers: enough to know a frame when we see one, and all that it says of its stream.
// Times are in time.hpp, Mark5B frames in mark5b.hpp. Pure.
//
// Source: "VLBI Data Interchange Format (VDIF) Specification", release 1.1.1 (June 2014), sections
// 5 and 6, and the extended data versions registered at https://vlbi.org/vlbi-standards/vdif/.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "common/base/bytes.hpp"

namespace mark6::vdif {

inline constexpr std::size_t kHeaderBytes = 32;
inline constexpr std::size_t kLegacyHeaderBytes = 16;
/// Frame numbers have 24 bits.
inline constexpr std::uint32_t kMaxFramesPerSecond = 1U << 24U;
inline constexpr std::uint8_t kEdvMark5b = 0xab;  ///< top byte of the Mark5B sync word

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
  std::uint8_t edv = 0;                     ///< extended data version; 0 for legacy headers
  std::array<std::uint32_t, 4> extended{};  ///< words 4..7; zeros for legacy headers

  [[nodiscard]] std::size_t header_bytes() const {
    return legacy ? kLegacyHeaderBytes : kHeaderBytes;
  }
  [[nodiscard]] std::uint64_t channels() const { return std::uint64_t{1} << log2_channels; }
  /// Whether this is a fill packet of the recorder: invalid, with a length that counts the header
  /// twice (format.md, section 1), second 0 and frame 0. It has no time, thread or station.
  [[nodiscard]] bool is_fill(std::uint32_t packet_bytes) const {
    return invalid && seconds == 0 && frame_in_second == 0 &&
           frame_bytes == packet_bytes + kHeaderBytes;
  }
};

/// The header at the start of `bytes` (32 bytes, or 16 when it says legacy); nothing when `bytes`
/// is too short. Any bits give some header: see plausible().
std::optional<Header> parse(Bytes bytes);

/// Whether `bytes` start with what may be a frame of `frame_bytes` (0: of any sane length, 16 bytes
/// to 128 MiB). A fill packet of the recorder (invalid, length 32 bytes too long) is plausible.
bool plausible(Bytes bytes, std::uint32_t frame_bytes);

/// "Aa" where both bytes of a station id are letters or digits ("A" where the low one is 0), else
/// its number. The first letter is the high byte, as in the recordings of stations (MWA, Wettzell,
/// ARO) and as other readers take it.
std::string station_text(std::uint16_t station);

/// What the extended data version stands for: "none", "NICT", "ALMA", "NRAO", "multiplexed",
/// "Mark5B"; "unknown" for others.
std::string_view edv_name(std::uint8_t edv);

/// The sample rate field of extended data versions 1, 3 and 4, Hz; nothing where there is none, it
/// is 0, or the sync word 0xacabfeed of word 5 is missing. Whether real samples count singly or in
/// pairs is not the same for all writers: see frame_rate_candidates().
std::optional<std::uint64_t> sample_rate_field(const Header& header);

/// Frames per second and thread that sample_rate_field() can mean, the likelier first: the field is
/// a rate of complex samples (so that real ones come twice as fast), or of samples as they are.
/// Nothing where the field is absent or no whole number of frames fits.
std::vector<std::uint32_t> frame_rate_candidates(const Header& header);

}  // namespace mark6::vdif
