// SPDX-License-Identifier: MIT
// Each rule looks at one disk and may find something; the worst finding is the judgement, and all
// of them together are the reason.
#include "common/account/verdict.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include "common/account/recorder_share.hpp"
#include "common/account/verdict_case.hpp"
#include "common/account/verdict_words.hpp"
#include "common/base/clock.hpp"

namespace mark6 {
namespace {

/// Reads are spikes when they take so many times what the longest of a typical peer's took, and no
/// less than this; one event hits as many reads as were in flight, so it takes more than two.
constexpr double kSpikeTimes = 4;
constexpr double kSpikeLeastNs = 50e6;
constexpr std::uint64_t kSpikes = 3;

/// Without any answer for so long, and so many times the longest that a peer took.
constexpr std::int64_t kNoAnswerNs = 2'000'000'000;
constexpr double kNoAnswerTimes = 5;

/// So many failed reads of all make a disk useless, fewer make it suspect.
constexpr double kFailingShare = 0.1;
constexpr std::uint64_t kFailing = 3;
constexpr std::uint64_t kRetries = 3;
constexpr double kRetriesShare = 0.01;

/// A difference that wants to be explained where it is no reason to worry.
constexpr double kNoticeable = 1.45;

std::optional<Finding> spikes(const JudgedDisk& c) {
  if (!c.facts().has_latency || c.with.peers < kPeersForSlow || c.with.max_ns <= 0) {
    return std::nullopt;
  }
  const double over = std::max(kSpikeTimes * c.with.max_ns, kSpikeLeastNs);
  const auto over_ns = static_cast<std::int64_t>(over);
  const std::uint64_t own = c.disk().latency.count_above(over_ns);
  // Reads that are all slow are the other rule's.
  if (own < kSpikes || share(own, c.disk().requests) > 0.1) return std::nullopt;
  double longest = 0;
  for (std::size_t j = 0; j < c.span.disks.size(); ++j) {
    if (j != c.i) longest = std::max(longest, c.span.facts[j].max_ns);
  }
  const std::string others = longest < over ? "none over " + milliseconds(longest)
                                            : "typically none over " + milliseconds(c.with.max_ns);
  const bool felt = c.stall_share() >= 0.1;
  return Finding{Judgement::kSuspect, felt ? 0.8 : 0.65,
                 fmt::format("{} of {} reads took over {}, the longest {} (the other {}: {})", own,
                             c.disk().requests, milliseconds(over), milliseconds(c.facts().max_ns),
                             disks_text(c.with.peers), others)};
}

std::optional<Finding> no_answer(const JudgedDisk& c) {
  const DiskActivity& disk = c.disk();
  if (disk.requests > 0 || disk.in_flight == 0 || disk.busy_ns < kNoAnswerNs) return std::nullopt;
  std::size_t peers = 0;
  double longest = 0;
  for (const DiskFacts& facts : c.span.facts) {
    if (!facts.enough) continue;
    ++peers;
    longest = std::max(longest, facts.has_latency ? facts.max_ns : facts.mean_ns);
  }
  if (peers == 0 || static_cast<double>(disk.busy_ns) < kNoAnswerTimes * longest) {
    return std::nullopt;
  }
  return Finding{
      peers < kPeersForSlow ? Judgement::kSuspect : Judgement::kSlow, 0.95,
      fmt::format("has not answered for {:.1f} s ({} in flight); the other {} answer "
                  "within {}",
                  seconds(disk.busy_ns), disk.in_flight, disks_text(peers), milliseconds(longest))};
}

std::optional<Finding> failed(const JudgedDisk& c) {
  const DiskActivity& disk = c.disk();
  if (disk.errors == 0) return std::nullopt;
  const bool useless =
      disk.errors >= kFailing && share(disk.errors, disk.requests) >= kFailingShare;
  return Finding{useless ? Judgement::kSlow : Judgement::kSuspect, 0.95,
                 fmt::format("{} of {} reads failed", disk.errors, disk.requests)};
}

std::optional<Finding> retried(const JudgedDisk& c) {
  const DiskActivity& disk = c.disk();
  if (disk.retries < kRetries || share(disk.retries, disk.requests) < kRetriesShare) {
    return std::nullopt;
  }
  return Finding{Judgement::kSuspect, 0.6,
                 fmt::format("{} of {} reads had to be repeated", disk.retries, disk.requests)};
}

/// A disk about which nothing was found: fine, if that means anything.
Finding nothing_found(const JudgedDisk& c) {
  const DiskActivity& disk = c.disk();
  if (!c.facts().enough) {
    return {Judgement::kUnknown, 0,
            fmt::format("not enough data: {} reads, busy for {:.2f} s", disk.requests,
                        seconds(disk.busy_ns))};
  }
  if (c.with.peers == 0) {
    return {Judgement::kUnknown, 0, "no other disk did enough reads of this size to compare with"};
  }
  std::string text =
      fmt::format("a read takes {}, on the other {} {}", milliseconds(c.facts().mean_ns),
                  disks_text(c.with.peers), milliseconds(c.with.mean_ns));
  if (const auto why = why_not_comparable(c); !why.empty()) {
    return {Judgement::kUnknown, 0, fmt::format("{}; {}", text, why)};
  }
  if (c.with.times_mean >= kNoticeable) text += "; they rest in between, which makes reads quick";
  const double seen = std::clamp(static_cast<double>(disk.requests) / 100, 0.0, 1.0);
  const double company = std::clamp(static_cast<double>(c.with.peers) / 3, 0.0, 1.0);
  return {Judgement::kFine, 0.5 + 0.25 * seen + 0.2 * company, std::move(text)};
}

DiskVerdict judge(const JudgedDisk& c) {
  DiskVerdict verdict;
  for (const auto rule : {no_answer, slower, failed, spikes, retried}) {
    const auto found = rule(c);
    if (!found) continue;
    if (found->judgement > verdict.judgement) {
      verdict.judgement = found->judgement;
      verdict.confidence = found->confidence;
    } else if (found->judgement == verdict.judgement) {
      verdict.confidence = std::max(verdict.confidence, found->confidence);
    }
    verdict.reason += (verdict.reason.empty() ? "" : "; ") + found->text;
  }
  if (verdict.reason.empty()) {
    const Finding found = nothing_found(c);
    verdict.judgement = found.judgement;
    verdict.confidence = found.confidence;
    verdict.reason = found.text;
  }
  if (c.facts().enough && c.with.peers > 0) verdict.times_slower = c.with.times_mean;
  return verdict;
}

}  // namespace

std::string_view to_string(Judgement judgement) {
  constexpr std::array<std::string_view, 4> kWords{"unknown", "fine", "suspect", "slow"};
  return kWords[static_cast<std::size_t>(judgement)];
}

std::string_view confidence_words(double confidence) {
  if (confidence >= 0.95) return "certain";
  if (confidence >= 0.85) return "very likely";
  if (confidence >= 0.7) return "likely";
  return confidence > 0 ? "possible" : "unknown";
}

std::vector<DiskVerdict> judge_disks(std::span<const DiskActivity> disks, std::int64_t elapsed_ns) {
  JudgedSpan span{disks, facts_of(disks), elapsed_ns, 0};
  for (const DiskActivity& disk : disks) span.stall_ns += disk.stall_ns;
  const std::vector<bool> all(disks.size(), true);
  std::vector<DiskVerdict> verdicts;
  verdicts.reserve(disks.size());
  for (std::size_t i = 0; i < disks.size(); ++i) {
    verdicts.push_back(judge(JudgedDisk{span, i, compare(span.facts, i, all)}));
    add_recorder_share(disks, i, verdicts.back());
  }
  return verdicts;
}

}  // namespace mark6
