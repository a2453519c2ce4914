// SPDX-License-Identifier: MIT
// The rule that most verdicts come from: do a disk's reads take longer than its peers' by what
// disk_comparison.hpp measures, and was it under such a load that this means something? The limits
// lie between what healthy packs and disks of half the rate show, in simulations and on loop
// devices (tests/unit/verdict_simulation_test.cpp).
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "common/account/verdict_case.hpp"
#include "common/account/verdict_words.hpp"
#include "common/base/clock.hpp"

namespace mark6 {
namespace {

/// How many times its peers' a disk's reads take. Disks that differ by 20 % either way reach 1.25
/// against their median, 1.5 where they conspire; a pack whose disks differ more by nature widens
/// the limits: so many spreads.
struct Limits {
  double both;           ///< even peers: by mean and third quartile
  double both_ahead;     ///< the same where they read ahead while they rest
  double mean;           ///< uneven peers: the mean at least so much without credit ...
  double beyond_credit;  ///< ... and with it;
  double much;           ///< or so much without it ...
  double much_beyond;    ///< ... and with it
  double spreads;
};
// Throttled loop devices of 30 to 60 MB/s, from 2 s on, measured: healthy packs reach 1.88 by the
// mean and 1.15 beyond credit, a disk of half the rate no less than 2.0 and 1.26.
constexpr Limits kSlow{1.6, 1.75, 1.6, 1.24, 2.4, 1.15, 2.5};
constexpr Limits kSuspect{1.45, 1.6, 1.5, 1.2, 2.2, 1.1, 2.2};
/// Peers of less evenness serve bursts: their quartiles mean nothing.
constexpr double kEven = 0.15;
constexpr double kReadsAhead = 0.6;
/// With one or two peers nobody knows which of them is the odd one out.
constexpr double kFewPeersTimes = 1.8;

/// Peers that are uneven and faster than a rotating disk are served from a cache or from credit,
/// and show nothing of their pace. Only a disk below the rate that modules are built for (64 MB/s)
/// can be called slow beside them.
constexpr double kRotatingBytesPerS = 400e6;
constexpr double kUneven = 0.3;
constexpr double kNominalBytesPerS = 64e6;
constexpr double kSlowBesideCache = 8;

/// Less than this is seen too short to be called slow, whatever the figures.
constexpr std::int64_t kBusyForSlowNs = 1'500'000'000;

/// A disk is under load when it is busy so much of the time, or streams waited for it so much. One
/// that mostly rests may have been asked at odd moments: it is judged by stricter means.
constexpr double kLoadedBusy = 0.5;
constexpr double kLoadedStall = 0.1;

bool loaded(const JudgedDisk& c) {
  return share(c.disk().busy_ns, c.span.elapsed_ns) >= kLoadedBusy ||
         c.stall_share() >= kLoadedStall;
}

double own_rate(const JudgedDisk& c) {
  return share(static_cast<double>(c.disk().bytes), seconds(c.disk().busy_ns));
}

bool even(const DiskComparison& with) { return with.times_p75 > 0 && with.evenness >= kEven; }

bool by_both(const DiskComparison& with, const Limits& limits) {
  const double times = with.evenness < kReadsAhead ? limits.both_ahead : limits.both;
  const double limit = std::max(times, std::exp(limits.spreads * with.spread));
  return std::min(with.times_mean, with.times_p75) >= limit;
}

bool by_mean(const DiskComparison& with, const Limits& limits) {
  const double mean = std::max(limits.mean, std::exp(limits.spreads * with.spread));
  return (with.times_mean >= mean && with.times_beyond_credit >= limits.beyond_credit) ||
         (with.times_mean >= limits.much && with.times_beyond_credit >= limits.much_beyond);
}

bool exceeds(const DiskComparison& with, const Limits& limits) {
  return even(with) ? by_both(with, limits) : by_mean(with, limits);
}

/// Most reads are like the peers', but others take so long that the mean is far off.
bool by_some_reads(const DiskComparison& with) {
  return even(with) && with.times_mean >= kSuspect.much;
}

bool beside_cache(const DiskComparison& with) {
  return with.times_p75 > 0 && with.bytes_per_busy_s > kRotatingBytesPerS &&
         with.evenness < kUneven;
}

/// What the times alone say; kUnknown stands for nothing found.
Judgement by_times(const JudgedDisk& c) {
  const DiskComparison& with = c.with;
  if (!loaded(c) && with.p50_to_their_p99 < kSuspect.both) return Judgement::kUnknown;
  if (with.peers < kPeersForSlow) {
    return with.times_mean >= kFewPeersTimes && exceeds(with, kSuspect) ? Judgement::kSuspect
                                                                        : Judgement::kUnknown;
  }
  if (beside_cache(with)) {
    const bool slow = own_rate(c) < kNominalBytesPerS && with.times_mean >= kSlowBesideCache;
    return slow ? Judgement::kSlow : Judgement::kUnknown;
  }
  if (exceeds(with, kSlow) && c.disk().busy_ns >= kBusyForSlowNs) return Judgement::kSlow;
  return exceeds(with, kSuspect) || by_some_reads(with) ? Judgement::kSuspect : Judgement::kUnknown;
}

/// How sure: by how far it is beyond the limit, how long that was seen, and whether the streams
/// felt it too.
double confidence_by_times(const JudgedDisk& c, Judgement judgement) {
  const double beyond = std::clamp(std::log2(c.with.times_mean / kSlow.mean), 0.0, 1.0);
  const double seen = std::clamp(seconds(c.disk().busy_ns) / 4, 0.0, 1.0);
  const bool felt = share(c.disk().stall_ns, c.span.stall_ns) >= 0.5 && c.stall_share() >= 0.1;
  if (judgement == Judgement::kSuspect) return 0.4 + 0.1 * beyond + 0.1 * seen + 0.05 * felt;
  const bool clear = even(c.with) || c.with.times_beyond_credit >= 2 * kSlow.beyond_credit;
  return 0.55 + 0.15 * beyond + 0.1 * seen + 0.1 * clear + 0.09 * felt;
}

/// Whether the disk is like the others of its model, which all differ from the rest.
std::optional<std::string> like_its_model(const JudgedDisk& c) {
  const std::string& model = c.disk().model;
  if (model.empty()) return std::nullopt;
  std::vector<bool> same;
  for (const DiskActivity& disk : c.span.disks) same.push_back(disk.model == model);
  const DiskComparison with = compare(c.span.facts, c.i, same);
  if (with.peers < kPeersForSlow || with.peers == c.with.peers) return std::nullopt;
  if (with.times_mean >= kSuspect.both) return std::nullopt;
  return fmt::format("so it is on the {} others of its model ({}): the model, or what they share",
                     with.peers, model);
}

std::string text_of_times(const JudgedDisk& c) {
  const DiskComparison& with = c.with;
  std::string text =
      fmt::format("a read takes {}, on the other {} {} ({}); {} while busy, {} {}",
                  milliseconds(c.facts().mean_ns), disks_text(with.peers),
                  milliseconds(with.mean_ns), times_text(with.times_mean), rate_text(own_rate(c)),
                  with.peers == 1 ? "it" : "they", rate_text(with.bytes_per_busy_s));
  if (c.stall_share() >= 0.05) {
    text += fmt::format("; the stream waited for it {:.0f} % of the time", 100 * c.stall_share());
  }
  return text;
}

}  // namespace

std::string_view why_not_comparable(const JudgedDisk& c) {
  if (beside_cache(c.with) && c.with.times_mean >= kSlow.mean) {
    return "they are served from a cache, faster than disks read, and tell nothing";
  }
  if (!loaded(c) && exceeds(c.with, kSuspect)) return "too little was asked of it to judge that";
  return {};
}

std::optional<Finding> slower(const JudgedDisk& c) {
  if (!c.facts().enough || c.with.peers == 0) return std::nullopt;
  const Judgement judgement = by_times(c);
  if (judgement == Judgement::kUnknown) return std::nullopt;
  Finding found{judgement, confidence_by_times(c, judgement), text_of_times(c)};
  if (const auto model = like_its_model(c)) {
    found = {Judgement::kSuspect, 0.5, found.text + "; " + *model};
  } else if (c.with.peers < kPeersForSlow) {
    found.text +=
        fmt::format("; {} to compare with {} too few to be sure",
                    c.with.peers == 1 ? "one disk" : "two disks", c.with.peers == 1 ? "is" : "are");
  }
  return found;
}

}  // namespace mark6
