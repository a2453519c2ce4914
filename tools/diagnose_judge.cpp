// SPDX-License-Identifier: MIT
// From measurements to verdicts. A disk is judged twice, alone and with all others: alone it shows
// its own pace, and with the others what they do to each other.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>

#include "common/account/disk_comparison.hpp"
#include "common/account/verdict_words.hpp"
#include "tools/diagnose_rates.hpp"
#include "tools/diagnose_result.hpp"

namespace mark6 {
namespace {

/// Below this share of the sum of what they give alone, the disks hold each other up.
constexpr double kTogether = kHeldUp;

bool is_bad(const DiskVerdict& verdict) { return verdict.judgement >= Judgement::kSuspect; }

/// Verdicts from one kind of measurement, by disk; absent where there is none.
using Verdicts = std::vector<std::optional<DiskVerdict>>;

Verdicts judge_by(const Diagnosis& diagnosis, std::optional<DiskActivity> DiskResult::*phase,
                  std::int64_t elapsed_ns) {
  std::vector<DiskActivity> activity;
  std::vector<std::size_t> places;
  for (std::size_t i = 0; i < diagnosis.results.size(); ++i) {
    if (!(diagnosis.results[i].*phase)) continue;
    activity.push_back(*(diagnosis.results[i].*phase));
    places.push_back(i);
  }
  const auto found = judge_disks(activity, elapsed_ns);
  Verdicts verdicts(diagnosis.results.size());
  for (std::size_t j = 0; j < places.size(); ++j) verdicts[places[j]] = found[j];
  return verdicts;
}

std::int64_t median_elapsed_ns(const Diagnosis& diagnosis, const std::string& name) {
  std::vector<double> elapsed;
  for (const Phase& phase : diagnosis.phases) {
    if (phase.name == name) elapsed.push_back(static_cast<double>(phase.measure.elapsed_ns));
  }
  return static_cast<std::int64_t>(median(std::move(elapsed)));
}

void note_activity(Diagnosis& diagnosis, const Phase& phase) {
  const bool alone = phase.name == "alone";
  for (std::size_t i = 0; i < phase.measure.disks.size(); ++i) {
    DiskResult& result = diagnosis.results[phase.measure.disks[i]];
    const DiskUnderTest& disk = diagnosis.disks[phase.measure.disks[i]];
    DiskActivity activity = phase.measure.activity[i];
    activity.disk = disk.label;
    activity.model = disk.device.facts.model.value_or("");
    (alone ? result.alone_bytes_per_s : result.together_bytes_per_s) = phase.measure.rate(i);
    (alone ? result.alone : result.together) = std::move(activity);
  }
}

std::string held_up_words(const DiskResult& result) {
  return fmt::format(
      "alone it gives {}, with all others {}: something that it shares is slow, not the disk",
      rate_text(result.alone_bytes_per_s), rate_text(result.together_bytes_per_s));
}

/// The two verdicts on one disk as one. `crowded`: the disks hold each other up.
DiskVerdict combine(const std::optional<DiskVerdict>& alone, const std::optional<DiskVerdict>& all,
                    bool crowded, DiskResult& result) {
  if (!alone || !all) return all ? *all : alone.value_or(DiskVerdict{});
  DiskVerdict verdict = *all;
  if (is_bad(*all) && is_bad(*alone)) {
    if (alone->judgement > all->judgement) verdict = *alone;
    verdict.confidence = std::min(0.97, std::max(all->confidence, alone->confidence) + 0.05);
    verdict.reason += "; so it is alone";
  } else if (is_bad(*alone)) {
    verdict = *alone;
    if (!crowded) {  // the longer look found nothing
      verdict.judgement = Judgement::kSuspect;
      verdict.confidence = std::min(verdict.confidence, 0.5);
    }
    verdict.reason =
        "alone " + verdict.reason + (crowded ? "" : "; with all others it was like them");
  } else if (is_bad(*all) && alone->judgement == Judgement::kFine &&
             result.together_bytes_per_s < kHeldUp * result.alone_bytes_per_s) {
    result.held_up_by_others = true;
    verdict.judgement = Judgement::kSuspect;
    verdict.reason = held_up_words(result) + "; " + all->reason;
  }
  return verdict;
}

std::vector<DiskRate> rates_of(const Diagnosis& diagnosis, double DiskResult::*rate) {
  std::vector<DiskRate> rates;
  for (std::size_t i = 0; i < diagnosis.results.size(); ++i) {
    rates.push_back({diagnosis.results[i].*rate,
                     diagnosis.disks[i].device.facts.model.value_or(std::string())});
  }
  return rates;
}

/// A disk that gives far less than its peers both ways is slow, whatever its single reads say.
void judge_by_rates(Diagnosis& diagnosis) {
  const auto alone = rates_of(diagnosis, &DiskResult::alone_bytes_per_s);
  const auto together = rates_of(diagnosis, &DiskResult::together_bytes_per_s);
  for (std::size_t i = 0; i < diagnosis.results.size(); ++i) {
    DiskVerdict& verdict = diagnosis.results[i].verdict;
    const auto by_alone = compare_rates(alone, i);
    const auto by_all = compare_rates(together, i);
    if (!by_alone || !by_all || !by_alone->far || !by_all->far) continue;
    if (verdict.judgement == Judgement::kSlow || by_alone->like_its_model) continue;
    const double times = std::min(by_alone->times, by_all->times);
    diagnosis.results[i].held_up_by_others = false;
    verdict.judgement = Judgement::kSlow;
    verdict.confidence = 0.8 + 0.15 * std::clamp(std::log2(times / 1.5), 0.0, 1.0);
    verdict.times_slower = times;
    verdict.reason =
        fmt::format("alone it gives {}, the other {} {} ({}), and together with them {} and {}",
                    rate_text(alone[i].bytes_per_s), disks_text(by_alone->peers),
                    rate_text(by_alone->peers_bytes_per_s), times_text(by_alone->times),
                    rate_text(together[i].bytes_per_s), rate_text(by_all->peers_bytes_per_s));
  }
}

/// Disks of a group that only some are in are to be looked at, whatever the comparison says, unless
/// they are slow by themselves.
void mark_sharing(Diagnosis& diagnosis, const Bottleneck& shared) {
  if (shared.everybody) return;
  for (const std::size_t disk : shared.group.disks) {
    DiskResult& result = diagnosis.results[disk];
    if (result.held_up_by_others || is_bad(result.verdict)) continue;
    result.held_up_by_others = true;
    result.verdict.judgement = Judgement::kSuspect;
    result.verdict.confidence = 0.8;
    result.verdict.reason = held_up_words(result) + "; by itself " + result.verdict.reason;
  }
}

/// What goes before any comparison: no answer, failed reads, nothing to read.
void add_failures(const Diagnosis& diagnosis, const DiskUnderTest& disk, DiskResult& result) {
  DiskVerdict& verdict = result.verdict;
  const auto say = [&](Judgement judgement, double confidence, std::string reason) {
    verdict.judgement = judgement;
    verdict.confidence = confidence;
    verdict.reason = std::move(reason);
  };
  if (result.hung) {
    say(Judgement::kSlow, 0.95,
        fmt::format("has not answered for {:.0f} s; it was left out", diagnosis.timeout_s));
  } else if (!disk.not_read.empty()) {
    const bool bad = disk.no_answer || disk.failed;
    say(bad ? Judgement::kSlow : Judgement::kUnknown, bad ? 0.95 : 0, disk.not_read);
  } else if (result.errors > 0) {
    const std::string words =
        fmt::format("{} reads failed ({})", result.errors, std::strerror(result.last_error));
    if (!is_bad(verdict)) {
      say(Judgement::kSuspect, 0.95, words);
    } else if (verdict.reason.find("failed") == std::string::npos) {
      verdict.reason += "; " + words;
    }
  } else if (verdict.reason.empty()) {
    say(Judgement::kUnknown, 0, "not measured");
  }
}

}  // namespace

const Phase* Diagnosis::all_together() const {
  const auto found = std::find_if(phases.rbegin(), phases.rend(),
                                  [](const Phase& phase) { return phase.name == "together"; });
  return found == phases.rend() ? nullptr : &*found;
}

double Diagnosis::alone_bytes_per_s() const {
  const Phase* all = all_together();
  double sum = 0;
  if (all == nullptr) return sum;
  for (const std::size_t disk : all->measure.disks) sum += results[disk].alone_bytes_per_s;
  return sum;
}

void judge(Diagnosis& diagnosis) {
  diagnosis.results.resize(diagnosis.disks.size());
  for (const Phase& phase : diagnosis.phases) {
    if (phase.name == "alone" || phase.name == "together") note_activity(diagnosis, phase);
  }
  const Verdicts alone =
      judge_by(diagnosis, &DiskResult::alone, median_elapsed_ns(diagnosis, "alone"));
  const Phase* all = diagnosis.all_together();
  const Verdicts together = judge_by(diagnosis, &DiskResult::together,
                                     all != nullptr ? all->measure.elapsed_ns : std::int64_t{0});
  const bool crowded =
      all != nullptr && all->measure.total_rate() < kTogether * diagnosis.alone_bytes_per_s();
  for (std::size_t i = 0; i < diagnosis.disks.size(); ++i) {
    DiskResult& result = diagnosis.results[i];
    result.verdict = combine(alone[i], together[i], crowded, result);
    result.verdict.slow_while_recording = diagnosis.disks[i].slow_while_recording;
    result.verdict.recording = diagnosis.disks[i].recording;
  }
  judge_by_rates(diagnosis);
  for (const Bottleneck& shared : diagnosis.shared) mark_sharing(diagnosis, shared);
  for (std::size_t i = 0; i < diagnosis.disks.size(); ++i) {
    add_failures(diagnosis, diagnosis.disks[i], diagnosis.results[i]);
  }
}

ExitCode exit_code_of(const Diagnosis& diagnosis) {
  bool any_read = false, failed = false, bad = false;
  for (std::size_t i = 0; i < diagnosis.disks.size(); ++i) {
    const DiskResult& result = diagnosis.results[i];
    any_read = any_read || result.alone || result.together;
    failed = failed || result.hung || result.errors > 0 || diagnosis.disks[i].failed;
    bad = bad || is_bad(result.verdict);
  }
  for (const Bottleneck& shared : diagnosis.shared) bad = bad || !shared.everybody;
  if (failed) return ExitCode::kIo;
  if (!any_read) return ExitCode::kNotFound;
  return bad ? ExitCode::kDamaged : ExitCode::kDelivered;
}

}  // namespace mark6
