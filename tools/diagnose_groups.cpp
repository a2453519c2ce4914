// SPDX-License-Identifier: MIT
#include "tools/diagnose_groups.hpp"

#include <algorithm>
#include <map>
#include <numeric>

namespace mark6 {
namespace {

/// Of n disks that share, those that stay rise by k/(n-k) when k are left out: with every eighth
/// left out by a seventh at least, and half of that is more than the noise.
constexpr std::size_t kLeaveOut = 8;
constexpr double kMostMargin = 0.09;
/// A group of at least so many is looked into for smaller ones.
constexpr std::size_t kLargeGroup = 6;

using Disks = std::vector<std::size_t>;

double sum(const std::vector<double>& values) {
  return std::accumulate(values.begin(), values.end(), 0.0);
}

/// A set of disks, and what each gave when they were read together.
struct Measured {
  Disks disks{};
  std::vector<double> rates{};

  void add(std::size_t disk, double rate) {
    disks.push_back(disk);
    rates.push_back(rate);
  }
  [[nodiscard]] double total() const { return sum(rates); }
};

class Finder {
 public:
  Finder(const std::vector<double>& alone, const std::vector<std::string>& lane,
         const MeasureRates& measure)
      : alone_(alone), lane_(lane), measure_(measure) {}

  GroupSearch take() { return std::move(found_); }

  void search(const Measured& all) {
    Measured held = held_up(all);
    if (held.disks.size() < 2) return;
    // Without the others, who may press on something too.
    if (held.disks.size() != all.disks.size() && !look(held)) return;
    split(std::move(held));
  }

 private:
  /// Measures `set` anew; false when there is no time.
  bool look(Measured& set) {
    auto rates = measure_(set.disks);
    if (!rates) {
      found_.out_of_time = true;
      return false;
    }
    set.rates = std::move(*rates);
    return true;
  }

  [[nodiscard]] double alone_total(const Measured& set) const {
    double total = 0;
    for (const std::size_t disk : set.disks) total += alone_[disk];
    return total;
  }
  [[nodiscard]] bool falls_short(const Measured& set) const {
    return set.total() < kShort * alone_total(set);
  }
  [[nodiscard]] Measured held_up(const Measured& set) const {
    Measured held;
    for (std::size_t i = 0; i < set.disks.size(); ++i) {
      if (set.rates[i] < kHeldUp * alone_[set.disks[i]]) held.add(set.disks[i], set.rates[i]);
    }
    return held;
  }

  /// Finds the groups in `current`.
  void split(Measured current) {
    while (current.disks.size() >= 2 && falls_short(current)) {
      const std::size_t out = (current.disks.size() + kLeaveOut - 1) / kLeaveOut;
      Measured without;
      without.disks.assign(current.disks.begin() + static_cast<std::ptrdiff_t>(out),
                           current.disks.end());
      if (!look(without)) return;
      Measured group, rest;
      for (std::size_t i = 0; i < out; ++i) group.add(current.disks[i], current.rates[i]);
      share_out(current, without, out, group, rest);
      if (group.disks.size() > out) settle(current, std::move(group), out);
      current = std::move(rest);
    }
  }

  /// Those of `without` that rose against `current` belong to the group of the first `out`, whom
  /// they had been read with.
  static void share_out(const Measured& current, const Measured& without, std::size_t out,
                        Measured& group, Measured& rest) {
    const double least = static_cast<double>(out) / static_cast<double>(current.disks.size() - out);
    const double margin = 1 + std::min(least / 2, kMostMargin);
    for (std::size_t i = 0; i < without.disks.size(); ++i) {
      const double before = current.rates[i + out];
      if (without.rates[i] > margin * before) {
        group.add(without.disks[i], before);
      } else {
        rest.add(without.disks[i], without.rates[i]);
      }
    }
  }

  /// A group was found by leaving out `out` disks: is it one, and what is its cap?
  void settle(const Measured& current, Measured group, std::size_t out) {
    const bool everybody = group.disks.size() == current.disks.size();
    if (!everybody) {
      if (!look(group)) return;
      group = held_up(group);  // who came in by chance is as fast as alone now
      if (group.disks.size() < 2 || !falls_short(group)) return;
      // The disks left out may have been of different groups.
      if (out > 1) return split(std::move(group));
    }
    found_.groups.push_back({group.disks, group.total()});
    look_inside(group);
  }

  /// Lanes that fall short even among themselves, and not just because of the group's cap.
  void look_inside(const Measured& group) {
    if (group.disks.size() < kLargeGroup) return;
    std::map<std::string, Measured> lanes;
    for (const std::size_t disk : group.disks) lanes[lane_[disk]].disks.push_back(disk);
    if (lanes.size() < 2) return;
    for (auto& [name, lane] : lanes) {
      if (lane.disks.size() < 2) continue;
      if (!look(lane)) return;
      if (falls_short(lane) && lane.total() < kShort * group.total()) split(held_up(lane));
    }
  }

  const std::vector<double>& alone_;
  const std::vector<std::string>& lane_;
  const MeasureRates& measure_;
  GroupSearch found_;
};

}  // namespace

GroupSearch find_shared(const std::vector<std::size_t>& disks, const std::vector<double>& together,
                        const std::vector<double>& alone, const std::vector<std::string>& lane,
                        const MeasureRates& measure) {
  Finder finder(alone, lane, measure);
  finder.search({disks, together});
  return finder.take();
}

}  // namespace mark6
