// SPDX-License-Identifier: MIT
// The head of the report: what is slow, how sure, what to try next, in five lines.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>

#include "common/account/verdict_words.hpp"
#include "common/base/escape.hpp"
#include "tools/diagnose_result.hpp"
#include "tools/diagnose_topology.hpp"

namespace mark6 {
namespace {

constexpr std::size_t kMostLines = 5;
constexpr std::size_t kMostNames = 16;
/// Slow neighbours that make the cable or the slot more likely than the disks.
constexpr std::size_t kNeighbours = 3;

using Places = std::vector<std::size_t>;

std::string labels_of(const Diagnosis& diagnosis, const Places& places) {
  std::vector<std::string> labels;
  for (const std::size_t i : places) {
    if (labels.size() == kMostNames) break;
    labels.push_back(escaped(diagnosis.disks[i].label));
  }
  std::string text = fmt::format("{}", fmt::join(labels, ", "));
  if (places.size() > kMostNames) text += fmt::format(" and {} more", places.size() - kMostNames);
  return text;
}

/// Disks that are themselves slow or suspect, the worst first.
Places bad_disks(const Diagnosis& diagnosis) {
  Places bad;
  for (std::size_t i = 0; i < diagnosis.results.size(); ++i) {
    const DiskResult& result = diagnosis.results[i];
    if (result.verdict.judgement >= Judgement::kSuspect && !result.held_up_by_others) {
      bad.push_back(i);
    }
  }
  std::stable_sort(bad.begin(), bad.end(), [&](std::size_t a, std::size_t b) {
    const DiskVerdict& x = diagnosis.results[a].verdict;
    const DiskVerdict& y = diagnosis.results[b].verdict;
    if (x.judgement != y.judgement) return x.judgement > y.judgement;
    return std::max(x.times_slower, x.confidence) > std::max(y.times_slower, y.confidence);
  });
  return bad;
}

std::string verdict_line(const Diagnosis& diagnosis, std::size_t i) {
  const DiskVerdict& verdict = diagnosis.results[i].verdict;
  return fmt::format("{} is {} ({}): {}", name_of(diagnosis.disks[i]), to_string(verdict.judgement),
                     confidence_words(verdict.confidence), escaped(verdict.reason));
}

void add_verdicts(const Diagnosis& diagnosis, const Places& bad, std::vector<std::string>& lines) {
  if (bad.empty()) return;
  lines.push_back(verdict_line(diagnosis, bad.front()));
  if (bad.size() == 2) {
    lines.push_back(verdict_line(diagnosis, bad[1]));
  } else if (bad.size() > 2) {
    const Places others(bad.begin() + 1, bad.end());
    lines.push_back(
        fmt::format("slow or suspect as well, see the table: {}", labels_of(diagnosis, others)));
  }
}

void add_bottlenecks(const Diagnosis& diagnosis, std::vector<std::string>& lines) {
  for (const Bottleneck& shared : diagnosis.shared) {
    lines.push_back(fmt::format("{} share a bottleneck of {}: {}",
                                labels_of(diagnosis, shared.group.disks),
                                rate_text(shared.group.cap_bytes_per_s), shared.why));
    if (&shared - diagnosis.shared.data() == 1) break;  // the table has them all
  }
  if (!diagnosis.shared.empty()) return;
  Places held;
  for (std::size_t i = 0; i < diagnosis.results.size(); ++i) {
    if (diagnosis.results[i].held_up_by_others) held.push_back(i);
  }
  if (!held.empty()) {
    lines.push_back(
        fmt::format("{} are slow only together with others: something that they share "
                    "is slow, not the disks",
                    labels_of(diagnosis, held)));
  }
}

void add_recording(const Diagnosis& diagnosis, std::vector<std::string>& lines) {
  Places slow;
  for (std::size_t i = 0; i < diagnosis.disks.size(); ++i) {
    if (diagnosis.disks[i].slow_while_recording) slow.push_back(i);
  }
  if (slow.empty()) return;
  const std::size_t first = slow.front();
  const bool fine = diagnosis.results[first].verdict.judgement == Judgement::kFine;
  lines.push_back(fmt::format(
      "{} {}{}{}", escaped(diagnosis.disks[first].label), diagnosis.disks[first].recording,
      fine ? "; it reads well now" : "",
      slow.size() > 1
          ? fmt::format("; and so were {}", labels_of(diagnosis, {slow.begin() + 1, slow.end()}))
          : ""));
}

std::string together_line(const Diagnosis& diagnosis) {
  const Phase* all = diagnosis.all_together();
  if (all == nullptr || all->measure.disks.size() < 2) return {};
  const double alone = diagnosis.alone_bytes_per_s();
  const double share = alone > 0 ? all->measure.total_rate() / alone : 0;
  std::string line = fmt::format(
      "all {} disks together give {}, {:.0f} % of the {} that they give one "
      "by one",
      all->measure.disks.size(), rate_text(all->measure.total_rate()), 100 * share,
      rate_text(alone));
  if (share >= kShort || !diagnosis.shared.empty()) return line;
  if (all->measure.cpu_bound()) return line + "; the CPU is busy, and is what limits";
  if (!diagnosis.scaling_asked) line += "; `mark6 diagnose --scaling` tells who holds up whom";
  return line;
}

/// A healthy disk to swap with: of the same module when there is one.
std::optional<std::size_t> healthy_partner(const Diagnosis& diagnosis, std::size_t bad) {
  std::optional<std::size_t> found;
  for (std::size_t i = 0; i < diagnosis.disks.size(); ++i) {
    if (diagnosis.results[i].verdict.judgement != Judgement::kFine) continue;
    const bool same = diagnosis.disks[i].module == diagnosis.disks[bad].module;
    if (same) return i;
    if (!found) found = i;
  }
  return found;
}

/// Whether all of `bad`, and at least kNeighbours of them, have the same `of`.
template <class Of>
bool all_alike(const Diagnosis& diagnosis, const Places& bad, const Of& of) {
  return bad.size() >= kNeighbours && std::all_of(bad.begin(), bad.end(), [&](std::size_t i) {
           return of(diagnosis.disks[i]) == of(diagnosis.disks[bad.front()]);
         });
}

std::string advice_for_disks(const Diagnosis& diagnosis, const Places& bad) {
  const DiskUnderTest& worst = diagnosis.disks[bad.front()];
  if (all_alike(diagnosis, bad, lane_of)) {
    return fmt::format(
        "next: all of them are in {}: change that cable, or put the module into "
        "another slot; if the slowness stays with these disks it is the module",
        lane_of(worst));
  }
  if (all_alike(diagnosis, bad, [](const DiskUnderTest& disk) { return disk.module; })) {
    return fmt::format(
        "next: all of them are in module {}: put it into another slot, with other "
        "cables; if the slowness goes along it is the module, else slot or cables",
        escaped(worst.module));
  }
  if (diagnosis.results[bad.front()].hung || worst.no_answer) {
    return fmt::format(
        "next: look for {} in the kernel's log (dmesg), reseat the disk and its "
        "cable, and run this again",
        escaped(worst.label));
  }
  const auto partner = healthy_partner(diagnosis, bad.front());
  if (!partner) return "next: compare with disks that are known to be healthy";
  const std::string own = escaped(worst.label);
  const std::string other = escaped(diagnosis.disks[*partner].label);
  return fmt::format(
      "next: swap {0} with the healthy {1} and run this again: if it is slow in the "
      "place of {1} it is the disk, if the other is slow in the place of {0} it is "
      "slot or cable",
      own, other);
}

std::string advice(const Diagnosis& diagnosis, const Places& bad) {
  if (!bad.empty()) return advice_for_disks(diagnosis, bad);
  if (!diagnosis.shared.empty()) {
    if (diagnosis.shared.front().cpu) {
      return "next: free the CPU (`top`), or use a faster one; the disks are not to blame";
    }
    return "next: what these disks share is to be looked at: another cable, slot or controller for "
           "some of them, and run this again";
  }
  const bool held = std::any_of(diagnosis.results.begin(), diagnosis.results.end(),
                                [](const DiskResult& result) { return result.held_up_by_others; });
  if (held) return "next: `mark6 diagnose --scaling` finds which disks share what";
  return {};
}

std::string fine_line(const Diagnosis& diagnosis) {
  const auto count = [&](Judgement judgement) {
    return std::count_if(diagnosis.results.begin(), diagnosis.results.end(),
                         [&](const DiskResult& r) { return r.verdict.judgement == judgement; });
  };
  const auto fine = count(Judgement::kFine), unknown = count(Judgement::kUnknown);
  if (fine == 0) return "no verdict: too few disks, or too little data, to compare";
  std::string line = fmt::format("no disk is slow: {} fine", fine);
  if (unknown > 0) line += fmt::format(", {} without a verdict (see the table)", unknown);
  return line;
}

}  // namespace

std::string name_of(const DiskUnderTest& disk) {
  std::vector<std::string> words;
  if (disk.device.kernel_name) words.push_back(escaped(*disk.device.kernel_name));
  if (disk.device.facts.model) words.push_back(escaped(*disk.device.facts.model));
  if (disk.device.facts.serial) words.push_back("serial " + escaped(*disk.device.facts.serial));
  if (words.empty()) return escaped(disk.label);
  return fmt::format("{} ({})", escaped(disk.label), fmt::join(words, ", "));
}

std::vector<std::string> summary_of(const Diagnosis& diagnosis) {
  const Places bad = bad_disks(diagnosis);
  std::vector<std::string> lines;
  add_verdicts(diagnosis, bad, lines);
  add_bottlenecks(diagnosis, lines);
  if (lines.empty()) lines.push_back(fine_line(diagnosis));
  add_recording(diagnosis, lines);
  std::string next = advice(diagnosis, bad);
  const std::size_t room = kMostLines - (next.empty() ? 0 : 1);
  if (std::string line = together_line(diagnosis); !line.empty() && lines.size() < room) {
    lines.push_back(std::move(line));
  }
  if (lines.size() > room) lines.resize(room);
  if (!next.empty()) lines.push_back(std::move(next));
  return lines;
}

}  // namespace mark6
