// SPDX-License-Identifier: MIT
// The end of a StreamCheck: what the threads are when they are compared with each other.
#include <algorithm>
#include <cstdlib>

#include "common/vdif/stream_check.hpp"

namespace mark6::vdif {

StreamReport StreamCheck::finish() {
  if (at_ != 0) ++report_.ragged_blocks;
  at_ = 0;
  for (Track& track : tracks_) track.order.end();
  if (options_.frames_per_second != 0) compare_threads();
  for (Track& track : tracks_) {
    track.check.order = track.order.counts();
    report_.threads.push_back(track.check);
  }
  std::sort(report_.threads.begin(), report_.threads.end(), [](const auto& a, const auto& b) {
    return a.thread != b.thread ? a.thread < b.thread : a.station < b.station;
  });
  return report_;
}

/// Which threads begin or end apart from the others.
void StreamCheck::compare_threads() {
  const std::int64_t same = kSameTimeSeconds * stride_;
  const auto neighbours = [&](const Track& track) {
    return std::count_if(tracks_.begin(), tracks_.end(), [&](const Track& other) {
      return std::abs(other.order.first() - track.order.first()) <= same;
    });
  };
  const auto reference = std::max_element(
      tracks_.begin(), tracks_.end(),
      [&](const Track& a, const Track& b) { return neighbours(a) < neighbours(b); });
  if (reference == tracks_.end()) return;
  std::int64_t first = reference->order.first();
  std::int64_t last = reference->order.next();
  for (Track& track : tracks_) {
    track.check.odd_time = std::abs(track.order.first() - reference->order.first()) > same;
    if (track.check.odd_time) continue;
    first = std::min(first, track.order.first());
    last = std::max(last, track.order.next());
  }
  // Streams of a recording are not stopped at the same frame.
  const std::int64_t skew = std::max<std::int64_t>(2, stride_ / 100);
  for (Track& track : tracks_) {
    if (track.check.odd_time) continue;
    const std::int64_t late = track.order.first() - first;
    const std::int64_t early = last - track.order.next();
    if (late > skew) track.check.starts_late = static_cast<std::uint64_t>(late);
    if (early > skew) track.check.ends_early = static_cast<std::uint64_t>(early);
  }
}

bool ThreadCheck::is_clean() const {
  return invalid == 0 && wrong_lengths == 0 && station_changes == 0 && epoch_changes == 0 &&
         starts_late == 0 && ends_early == 0 && order.missing == 0 && order.duplicates == 0 &&
         order.out_of_order == 0 && order.wrong_times == 0 && order.jumps == 0;
}

bool StreamReport::is_clean() const {
  return invalid == 0 && wrong_lengths == 0 && fill_packets == 0 && pattern_packets == 0 &&
         not_frames == 0 && blocks_without_frame == 0 && ragged_blocks == 0 &&
         std::all_of(threads.begin(), threads.end(),
                     [](const ThreadCheck& thread) { return thread.is_clean(); });
}

}  // namespace mark6::vdif
