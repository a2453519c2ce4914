// SPDX-License-Identifier: MIT
// One disk beside its peers: the others that did enough reads of like size in the same span of
// time. Robust (medians, median absolute deviations): up to half of the disks may be slow and the
// others still tell what is normal. Numbers only; what they mean is in verdict.hpp.
//
// Measures, since each alone is fooled by something:
//  * the mean time a read keeps its disk busy (busy time over requests). Fooled by peers that
//    rest: a disk's read-ahead, or the credit that a throttled device saves up while it is idle,
//    makes their first reads quick, and an ordinary disk that never rests look slow beside them.
//  * the same for its slower reads (three of four take no longer). When a block of 10 MB is asked
//    for at once, its last reads go at the disk's own pace however the first ones went; occasional
//    seeks lie above. Fooled by devices that let bytes pass in bursts (a throttled loop device: a
//    tenth of a second's worth at once, then nothing for so long), where a read takes either no
//    time or the same tenth of a second, whatever the rate. `evenness` tells them.
//  * the mean, granting the peers that such a credit helped them with every block.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "common/account/disk_activity.hpp"

namespace mark6 {

/// What a comparison needs of one disk, worked out once. Times in ns, per request, divided by the
/// number of requests that shared the disk (DiskActivity::depth).
struct DiskFacts {
  bool enough = false;  ///< evidence: requests and busy time
  double request_bytes = 0;
  double mean_ns = 0;
  bool has_latency = false;  ///< else all below is 0
  double p10_ns = 0, p50_ns = 0, p75_ns = 0, p99_ns = 0;
  double max_ns = 0;  ///< as it was, not divided
};

std::vector<DiskFacts> facts_of(std::span<const DiskActivity> disks);

struct DiskComparison {
  std::size_t peers = 0;
  /// Medians over the peers, scaled to the disk's own size of requests.
  double mean_ns = 0, p75_ns = 0, p99_ns = 0, max_ns = 0;
  double bytes_per_busy_s = 0;
  /// The quickest tenth of a peer's reads over their mean (median over the peers): about 0.7 for a
  /// disk at work, 0.2 and more with read-ahead, 0.1 and less where bytes pass in bursts.
  double evenness = 0;
  /// How many times longer than the peers' the disk's reads take; 0: not known.
  double times_mean = 0, times_p75 = 0;
  /// The same of the mean, if the peers owe a tenth of a second per block to credit.
  double times_beyond_credit = 0;
  /// Its ordinary reads against their slowest: much more than 1 comes neither by chance nor from
  /// resting peers.
  double p50_to_their_p99 = 0;
  /// Relative spread of the means among the peers, like a standard deviation (from their median
  /// absolute deviation), within kLeastSpread..kMostSpread.
  double spread = 0;

  /// Equal disks would have no spread at all, and then every trifle would stand out; and a pack
  /// half of which is slow has so much that nothing would.
  static constexpr double kLeastSpread = 0.08;
  static constexpr double kMostSpread = 0.20;
};

/// Disk `i` against those `among` (true: may be a peer; as long as the facts), itself left out.
DiskComparison compare(std::span<const DiskFacts> facts, std::size_t i,
                       const std::vector<bool>& among);

/// The middle of `values` (of an even number, the mean of both); 0 without any.
double median(std::vector<double> values);

}  // namespace mark6
