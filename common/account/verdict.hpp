// SPDX-License-Identifier: MIT
// Which disk is slow, how do we know, and how sure are we: each disk against its peers under the
// same load, in words that an operator understands at 3 a.m. Pure: numbers in, verdicts out; for a
// whole stream or for an interval of it (DiskActivity::since).
//
// What is never used: %util and plain throughput. The disks of a stream deliver alike, because it
// waits for each of them; the slow one is told by how long its reads take (disk_comparison.hpp).
// What a recording says about its recorder is told apart, and makes no disk slow now.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "common/account/disk_activity.hpp"

namespace mark6 {

enum class Judgement {
  kUnknown,  ///< not enough data, or nothing to compare with
  kFine,
  kSuspect,  ///< something is wrong or may be: look at it
  kSlow,     ///< it holds up, or would hold up, whoever reads at full speed
};

/// "unknown", "fine", "suspect", "slow": the words of the JSON.
std::string_view to_string(Judgement judgement);

/// "certain" (from 0.95), "very likely" (0.85), "likely" (0.7), "possible" (above 0), "unknown".
std::string_view confidence_words(double confidence);

struct DiskVerdict {
  Judgement judgement = Judgement::kUnknown;
  double confidence = 0;  ///< 0..1, that the judgement is right; 0 when unknown
  /// Why, with figures: "a read takes 66 ms, on the other 15 disks 33 ms (2.0 x); 15 MB/s while
  /// busy, they 31 MB/s; the stream waited for it 62 % of the time". Never empty.
  std::string reason{};
  /// How many times longer its reads take than its peers'; 0 when that is not known.
  double times_slower = 0;

  /// The recorder gave it far fewer blocks than its peers; says nothing about the disk now.
  bool slow_while_recording = false;
  /// "was slow while recording: 60 blocks, the other 15 disks 118 each"; empty when it was not.
  std::string recording{};
};

/// A verdict for each disk, in the same order, over a span of `elapsed_ns`. It takes 3 peers to
/// call a disk slow, and one to call it suspect by comparison; failed reads need none.
std::vector<DiskVerdict> judge_disks(std::span<const DiskActivity> disks, std::int64_t elapsed_ns);

}  // namespace mark6
