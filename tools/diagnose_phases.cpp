// SPDX-License-Identifier: MIT
#include "tools/diagnose_phases.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "common/account/verdict_words.hpp"
#include "common/base/clock.hpp"
#include "common/base/escape.hpp"
#include "tools/diagnose_places.hpp"
#include "tools/diagnose_topology.hpp"

namespace mark6 {
namespace {

using Places = std::vector<std::size_t>;

constexpr double kAloneS = 0.7;
constexpr double kOnlyDiskS = 3;
constexpr std::uint64_t kAloneBytes = ReadPlaces::kLapUnits * ReadPlaces::kUnitBytes;
constexpr double kWarmUpS = 0.3;
/// A very slow disk may take longer to show enough, and all of them together so much.
constexpr double kPatienceS = 2.5;
constexpr double kAllPatienceS = 6;
constexpr double kTogetherS = 8;
constexpr double kStepS = 2;
/// Less than this may come from a drive's own memory.
constexpr std::uint64_t kLittleData = 256'000'000;

/// One run of measurements: what is read, and how it is told.
class Run {
 public:
  Run(PackReader& reader, Diagnosis& diagnosis, const PhaseOptions& options)
      : reader_(reader), diagnosis_(diagnosis), options_(options), begun_ns_(monotonic_ns()) {}

  /// Has every disk answer once: idle ones wake up, and those that never will are known.
  void wake() {
    Places all(diagnosis_.disks.size());
    for (std::size_t i = 0; i < all.size(); ++i) all[i] = i;
    tell("waiting for the disks to answer");
    reader_.measure(all, {.warm_up_s = 0, .warm_up_bytes = 0, .seconds = 0.05}, options_.stop);
  }

  /// Disks that can be read now.
  [[nodiscard]] Places readable() const {
    Places places;
    for (std::size_t i = 0; i < diagnosis_.disks.size(); ++i) {
      if (reader_.readable(i) && !reader_.hung(i)) places.push_back(i);
    }
    return places;
  }

  /// False when there is to be no more of it.
  bool measure(const std::string& name, const Places& disks, const ReadWindow& window,
               const std::string& words) {
    tell(words);
    GroupMeasure measured = reader_.measure(disks, window, options_.stop, [&](double bytes_per_s) {
      tell(fmt::format("{}: {}", words, rate_text(bytes_per_s)));
    });
    if (options_.stop.stop_requested()) return false;
    diagnosis_.phases.push_back({name, std::move(measured)});
    return true;
  }

  bool alone(double seconds) {
    const Places disks = readable();
    double patience = kAllPatienceS;
    for (std::size_t i = 0; i < disks.size(); ++i) {
      const std::int64_t before = monotonic_ns();
      const ReadWindow window{.warm_up_s = kWarmUpS,
                              .seconds = seconds,
                              .enough_bytes = disks.size() > 1 ? kAloneBytes : 0,
                              .patience_s = std::min(kPatienceS, seconds + patience)};
      if (!measure("alone", {disks[i]}, window,
                   fmt::format("alone {}/{}: {}", i + 1, disks.size(),
                               name_of(diagnosis_.disks[disks[i]])))) {
        return false;
      }
      const double took = mark6::seconds(monotonic_ns() - before);
      patience = std::max(0.0, patience - std::max(0.0, took - seconds - kWarmUpS));
    }
    return true;
  }

  bool together(double seconds) {
    const Places disks = readable();
    return measure("together", disks, {.seconds = seconds},
                   fmt::format("all {} disks together", disks.size()));
  }

  [[nodiscard]] bool time_for(double seconds) const {
    return mark6::seconds(monotonic_ns() - begun_ns_) + seconds <= options_.seconds;
  }

  /// What is only known in the end.
  void note_failures() {
    diagnosis_.results.resize(diagnosis_.disks.size());
    std::size_t buffered = 0, little = 0;
    for (std::size_t i = 0; i < diagnosis_.disks.size(); ++i) {
      DiskResult& result = diagnosis_.results[i];
      result.errors = reader_.errors(i);
      result.last_error = reader_.last_error(i);
      result.hung = reader_.hung(i);
      if (!reader_.readable(i)) continue;
      if (!reader_.direct(i)) ++buffered;
      if (reader_.data_bytes(i) < kLittleData) ++little;
    }
    diagnosis_.notes = disks_on_one_device(diagnosis_.disks);
    if (buffered > 0) {
      diagnosis_.notes.push_back(fmt::format(
          "{} disks have a file system without O_DIRECT: their figures are those of the "
          "page cache",
          buffered));
    }
    if (little > 0) {
      diagnosis_.notes.push_back(fmt::format(
          "{} disks hold less than 256 MB to read: what was read twice may have come from the "
          "drive's own memory",
          little));
    }
  }

 private:
  void tell(const std::string& line) const {
    if (options_.progress) options_.progress(line);
  }

  PackReader& reader_;
  Diagnosis& diagnosis_;
  const PhaseOptions& options_;
  std::int64_t begun_ns_;
};

/// What `measured` comes to beside what its disks give alone.
ScalingStep step_of(const GroupMeasure& measured, const std::vector<double>& alone) {
  ScalingStep step{.disks = measured.disks.size(),
                   .bytes_per_s = measured.total_rate(),
                   .cpu_s_per_gb = measured.cpu_s_per_gb(),
                   .machine_busy = measured.machine_busy,
                   .cpu_bound = measured.cpu_bound()};
  for (const std::size_t disk : measured.disks) step.alone_bytes_per_s += alone[disk];
  return step;
}

Bottleneck bottleneck_of(const Diagnosis& diagnosis, SharedGroup group) {
  const GroupMeasure& all = diagnosis.all_together()->measure;
  Bottleneck found{.group = std::move(group)};
  found.everybody = found.group.disks.size() == all.disks.size();
  found.cpu = found.everybody && all.cpu_bound();
  found.why = found.cpu
                  ? fmt::format("the CPU limits ({:.0f} % busy; reading took {:.3f} CPU s/GB)",
                                100 * all.machine_busy.value_or(1), all.cpu_s_per_gb())
                  : what_they_share(diagnosis.disks, found.group.disks);
  return found;
}

void find_bottlenecks(Run& run, Diagnosis& diagnosis, const std::vector<double>& alone) {
  std::vector<std::string> lanes;
  for (const DiskUnderTest& disk : diagnosis.disks) lanes.push_back(lane_of(disk));
  const Phase* all = diagnosis.all_together();
  if (all == nullptr) return;
  std::vector<double> rates;
  for (std::size_t i = 0; i < all->measure.disks.size(); ++i) rates.push_back(all->measure.rate(i));
  const Places disks = all->measure.disks;
  const auto measure = [&](const Places& group) -> std::optional<std::vector<double>> {
    const ReadWindow window{.seconds = kStepS};
    const std::string words = fmt::format("who shares what: {} disks", group.size());
    if (!run.time_for(kStepS + kWarmUpS) || !run.measure("group", group, window, words)) return {};
    const GroupMeasure& measured = diagnosis.phases.back().measure;
    std::vector<double> found(group.size(), 0);
    for (std::size_t i = 0; i < group.size(); ++i) {  // one may hang meanwhile
      const auto at = std::find(measured.disks.begin(), measured.disks.end(), group[i]);
      if (at == measured.disks.end()) continue;
      found[i] = measured.rate(static_cast<std::size_t>(at - measured.disks.begin()));
    }
    return found;
  };
  GroupSearch search = find_shared(disks, rates, alone, lanes, measure);
  diagnosis.out_of_time = search.out_of_time;
  for (SharedGroup& group : search.groups) {
    diagnosis.shared.push_back(bottleneck_of(diagnosis, std::move(group)));
  }
}

}  // namespace

double alone_seconds(double seconds, double others_s, std::size_t disks) {
  constexpr double kLeastS = 0.2;
  const double each = (seconds - others_s) / static_cast<double>(std::max<std::size_t>(disks, 1));
  return std::clamp(each - kWarmUpS, kLeastS, kAloneS);
}

std::vector<std::size_t> step_sizes(std::size_t disks) {
  std::vector<std::size_t> sizes;
  for (std::size_t size = 2; size < disks; size *= 2) sizes.push_back(size);
  if (disks >= 2) sizes.push_back(disks);
  return sizes;
}

void measure_quick(PackReader& reader, Diagnosis& diagnosis, const PhaseOptions& options) {
  Run run(reader, diagnosis, options);
  run.wake();
  const std::size_t disks = run.readable().size();
  const double together_s = std::min(kTogetherS, options.seconds / 3);
  if (disks == 1) {
    run.alone(std::min(kOnlyDiskS, options.seconds));
  } else if (disks > 1 && run.alone(alone_seconds(options.seconds, together_s + 1, disks))) {
    run.together(together_s);
  }
  run.note_failures();
}

void measure_scaling(PackReader& reader, Diagnosis& diagnosis, const PhaseOptions& options) {
  Run run(reader, diagnosis, options);
  run.wake();
  const Places disks = run.readable();
  // Alone, steps and groups get about a third of the time each.
  bool on = run.alone(disks.size() == 1
                          ? kOnlyDiskS
                          : alone_seconds(options.seconds, options.seconds * 2 / 3, disks.size()));
  std::vector<double> alone(diagnosis.disks.size(), 0);
  for (const Phase& phase : diagnosis.phases) {
    for (std::size_t i = 0; i < phase.measure.disks.size(); ++i) {
      alone[phase.measure.disks[i]] = phase.measure.rate(i);
    }
  }
  if (on && !disks.empty()) {
    diagnosis.scaling.push_back(step_of(diagnosis.phases.front().measure, alone));
  }
  for (const std::size_t size : step_sizes(disks.size())) {
    if (!on) break;
    const Places first(disks.begin(), disks.begin() + static_cast<std::ptrdiff_t>(size));
    on = size == disks.size() ? run.together(2 * kStepS)
                              : run.measure("step", first, {.seconds = kStepS},
                                            fmt::format("{} disks together", size));
    if (on) diagnosis.scaling.push_back(step_of(diagnosis.phases.back().measure, alone));
  }
  if (on) find_bottlenecks(run, diagnosis, alone);
  run.note_failures();
}

}  // namespace mark6
