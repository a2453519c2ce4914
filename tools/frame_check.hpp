// SPDX-License-Identifier: MIT
// What is inside of the payloads of a scan, by a look at its frame headers: of all of them, or of
// stretches spread over the scan. Reads like a stream, all disks at a time.
#pragma once

#include <atomic>
#include <cstdint>
#include <stop_token>
#include <string>
#include <vector>

#include "common/catalog/scan_opener.hpp"
#include "common/vdif/stream_check.hpp"
#include "common/vdif/survey.hpp"

namespace mark6 {

/// Bytes of one stretch: a few blocks.
inline constexpr std::uint64_t kStretchBytes = std::uint64_t{32} << 20;

struct FrameCheckOptions {
  bool wanted = false;
  bool full = false;
  std::uint32_t stretches = 16;  ///< where it is not full
};

/// How far checks of frames have come, for who shows it.
struct FrameProgress {
  std::atomic<std::uint64_t> looked_at_bytes{0};
  std::atomic<std::uint64_t> wanted_bytes{0};
};

struct FrameCheck {
  vdif::Content content;
  vdif::StreamReport report;
  std::uint64_t scan_bytes = 0;
  std::uint64_t looked_at_bytes = 0;
  std::uint64_t stretches = 0;        ///< 1 where all of the scan was looked at
  std::uint64_t unread_bytes = 0;     ///< that should have been looked at
  std::vector<std::string> problems;  ///< why they could not be read

  [[nodiscard]] bool is_full() const { return looked_at_bytes + unread_bytes >= scan_bytes; }
  /// CheckBits; 0 when nothing was found.
  [[nodiscard]] unsigned findings() const;
};

/// A part of the scan: [begin, end).
struct Stretch {
  std::uint64_t begin = 0, end = 0;
  bool operator==(const Stretch&) const = default;
};

/// Which parts of a scan of `index` are looked at: the first and the last bytes are among them, and
/// each part begins with a block. Those that touch are one.
std::vector<Stretch> stretches_of(const sg::ScanIndex& index, const FrameCheckOptions& options);

/// Looks at the frames of `opened`, whose fragments lie on some of `disks` disks, until `stop`.
FrameCheck check_frames(const OpenedScan& opened, std::size_t disks,
                        const FrameCheckOptions& options, FrameProgress& progress,
                        const std::stop_token& stop);

}  // namespace mark6
