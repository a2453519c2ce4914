// SPDX-License-Identifier: MIT
// What a recording holds, from a few of its frames: first and last time, stations, threads, rate.
// Who calls reads the frames (common/catalog/content.hpp); here they are only weighed. Pure.
//
// Frames lie: the first ones may be invalid, or fill packets, and some backends write the seconds
// of a few threads wrong. So a time counts when most frames around it agree with it.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "common/base/bytes.hpp"
#include "common/vdif/header.hpp"
#include "common/vdif/mark5b.hpp"
#include "common/vdif/time.hpp"

namespace mark6::vdif {

enum class FrameKind { kUnknown, kVdif, kMark5b };

/// A valid frame: what its header says, and where it stands.
struct FrameSample {
  std::uint64_t packet = 0;  ///< its place in the scan, counted in packets
  FrameKind kind = FrameKind::kUnknown;
  Header header{};  ///< for Mark5B only frame_in_second and frame_bytes
  std::int64_t unix_s = 0;
  std::uint32_t fraction_100us = 0;  ///< of the second, cut off; Mark5B only, and often left 0
};

/// The frame at the start of `bytes`, as it stands in a scan of packets of `packet_bytes`; nothing
/// when it is invalid, a fill packet, of another length, or no frame. `hint_unix_s`: date of the
/// file.
std::optional<FrameSample> sample_of(Bytes bytes, std::uint64_t packet, std::uint32_t packet_bytes,
                                     std::int64_t hint_unix_s);

/// Frames of one scan, in its order.
struct SurveyInput {
  std::vector<FrameSample> head;    ///< the first valid frames
  std::vector<FrameSample> border;  ///< from one second into the next, where they were looked for
  std::vector<FrameSample> tail;    ///< the last ones
  /// Every packet of the scan is there, so that counting them tells the rate.
  bool is_whole = false;
};

/// How the frame rate was found.
enum class RateFrom {
  kNothing,   ///< it is not known
  kHeader,    ///< from the sample rate in the extended data
  kBorder,    ///< the last frame number before a new second
  kCount,     ///< packets per thread over the seconds between head and tail
  kTimeCode,  ///< the fractions of the second in Mark5B's time code
};

struct Content {
  FrameKind kind = FrameKind::kUnknown;
  std::optional<Time> start;  ///< of the first frame; its whole second where no rate is known
  std::optional<Time> stop;   ///< end of the last frame; of its second where no rate is known
  Header format{};            ///< of a typical frame: length, channels, bits, complex, EDV
  std::vector<std::uint16_t> stations;          ///< the most frequent first; none in Mark5B
  std::vector<std::uint16_t> threads;           ///< ascending; none in Mark5B
  std::vector<std::uint16_t> odd_time_threads;  ///< whose first times disagree with `start`
  std::uint32_t frames_per_second = 0;          ///< of one thread; 0: not known
  RateFrom rate_from = RateFrom::kNothing;
  bool rate_is_measured = false;  ///< frames bear the rate out, whatever the header says

  /// Bits of samples per second over all threads; 0 where the rate is not known.
  [[nodiscard]] std::uint64_t data_rate_bps() const;
  /// From start to stop, s; nothing where a stop before the start says that times are wrong.
  [[nodiscard]] std::optional<double> duration_s() const;
  /// Samples of a channel in a second; 0 where not known, or where a frame has no whole number.
  [[nodiscard]] std::uint64_t samples_per_second() const;
};

/// Weighs the frames.
Content survey(const SurveyInput& input);

/// Times that differ by no more belong together.
inline constexpr std::int64_t kSameTimeSeconds = 10;

/// Of `samples`, those whose times agree with most: the largest group, of equal ones the first.
/// Times before `not_before` count only when all are.
std::vector<const FrameSample*> agreeing(const std::vector<FrameSample>& samples,
                                         std::optional<std::int64_t> not_before);

/// "VDIF", "Mark5B", "unknown".
std::string_view kind_name(FrameKind kind);
/// "header", "border", "count", "time code", "unknown".
std::string_view rate_from_name(RateFrom from);

}  // namespace mark6::vdif
