// SPDX-License-Identifier: MIT
// Mark5B disk frames: a 16-byte header (sync word, frame number, VLBA time code) and 10000 bytes of
// data. Pure.
//
// Source: "Mark 5B User's Manual", Haystack Observatory, 8 August 2006, section on the disk frame
// header. VDIF frames with extended data version 0xab carry the same four words in words 4..7.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include "common/base/bytes.hpp"
#include "common/vdif/time.hpp"

namespace mark6::vdif {

inline constexpr std::uint32_t kMark5bSyncWord = 0xabaddeed;
inline constexpr std::size_t kMark5bHeaderBytes = 16;
inline constexpr std::size_t kMark5bFrameBytes = 10016;

struct Mark5bHeader {
  std::uint32_t frame_in_second = 0;  ///< 0..32767
  bool test_vector = false;           ///< data of the internal generator, not of the sky
  std::uint16_t user = 0;             ///< the station's own bits
  std::uint32_t day = 0;              ///< modified Julian day modulo 1000
  std::uint32_t second_of_day = 0;    ///< 0..86399
  std::uint32_t fraction_100us = 0;   ///< 0..9999, cut off, not rounded; 0 in many recordings
};

/// Whether `bytes` start with the sync word of a Mark5B frame.
bool is_mark5b(Bytes bytes);

/// The header at the start of `bytes`; nothing when these are less than 16 bytes, the sync word is
/// another, the digits of the time are not decimal or the second is not of a day.
std::optional<Mark5bHeader> parse_mark5b(Bytes bytes);

/// The header that a VDIF frame of extended data version 0xab carries; nothing when it has none.
std::optional<Mark5bHeader> mark5b_of(const Header& header);

/// Start of the second that the header names, s since 1970-01-01 UTC. The day is known modulo 1000:
/// of the days it may be, the last one that is not behind `hint_unix_s` (the file's date) by more
/// than a day is taken, since a copy may be years younger than the recording but never older.
std::int64_t unix_seconds(const Mark5bHeader& header, std::int64_t hint_unix_s);

/// The start of the frame that the header names: by its number where `frames_per_second` is known
/// (not 0), else by the fraction in the time code, to 0.1 ms.
Time frame_time(const Mark5bHeader& header, std::uint64_t frames_per_second,
                std::int64_t hint_unix_s);

}  // namespace mark6::vdif
