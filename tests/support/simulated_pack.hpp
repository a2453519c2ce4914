// SPDX-License-Identifier: MIT
// A pack of disks, a window in scan order and a consumer, simulated: what the counters and the
// ledger would say after so many seconds of a stream. Feeds the real DeviceCounters and
// StallLedger, so that verdicts are tested on what they will be given.
//
// Disks are of one of two kinds. A rotating one reads at its own pace, with some scatter and seeks;
// while it rests it reads on into its cache, and serves that at the speed of the link. A throttled
// loop device (blk-throttle) lets a tenth of a second's worth pass at once, then nothing until the
// next tenth begins.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <deque>
#include <memory>
#include <random>
#include <vector>

#include "common/account/device_counters.hpp"
#include "common/account/disk_activity.hpp"
#include "common/account/stall_ledger.hpp"

namespace mark6::test {

struct SimulatedDisk {
  double bytes_per_s = 60e6;
  bool throttled = false;   ///< a loop device held to its rate; else rotating
  double scatter = 0.15;    ///< of the time of single reads (sigma of its logarithm)
  double seek_share = 0.1;  ///< of reads, that take a seek on top
  double seek_s = 0.008;
  double ahead_bytes = 2e6;  ///< read ahead while resting
  double pause_every_s = 0;  ///< it stands still so often (0: never) ...
  double pause_s = 0.5;      ///< ... for so long
  double weight = 1;         ///< share of blocks, for placement by chance
};

enum class PlacedBy { kRecorder, kChance };

struct SimulatedPack {
  std::vector<SimulatedDisk> disks;
  PlacedBy placed_by = PlacedBy::kRecorder;
  double sink_bytes_per_s = 5e9;
  std::size_t window_blocks_per_disk = 2;
  std::uint64_t block_bytes = 10'000'000;
  std::uint64_t read_bytes = 1'000'000;
  double seconds = 10;
  std::uint64_t seed = 1;
};

/// The pack at one instant.
struct SimulatedLook {
  std::vector<DiskActivity> disks;
  StallLedger::Snapshot time;
};

class Simulation {
 public:
  explicit Simulation(const SimulatedPack& pack)
      : pack_(pack), random_(pack.seed), ledger_(pack.disks.size(), 0) {
    for (std::size_t i = 0; i < pack.disks.size(); ++i) {
      state_.push_back(std::make_unique<DiskState>());
    }
  }

  /// Plays the stream up to `seconds` after its start, and looks.
  SimulatedLook look(double seconds) {
    until_ns_ = static_cast<std::int64_t>(seconds * 1e9);
    while (left_ns_.size() < window_blocks() || left_ns_.front() <= until_ns_) next_block();
    for (auto& disk : state_) play(*disk, until_ns_);
    play_ledger();
    SimulatedLook now;
    now.time = ledger_.snapshot(until_ns_);
    for (std::size_t i = 0; i < state_.size(); ++i) {
      DiskActivity disk = DiskActivity::of(state_[i]->counters, until_ns_);
      disk.disk = std::to_string(1 + i / 8) + "/" + std::to_string(i % 8);
      disk.stall_ns = now.time.disk_ns[i];
      disk.blocks = state_[i]->blocks;
      now.disks.push_back(std::move(disk));
    }
    return now;
  }

 private:
  struct Read {
    std::int64_t issued_ns, finished_ns;
  };
  struct DiskState {
    DeviceCounters counters;
    std::deque<Read> reads;            ///< not yet played to the counters
    std::deque<Read> in_flight;        ///< issued there, not finished
    std::int64_t ends_ns[2] = {0, 0};  ///< of the last two reads: two in flight
    double ahead_bytes = 0;            ///< rotating: in its cache
    double slice_ns = -1e18, slice_end_ns = -1e18, slice_bytes = 0;  ///< throttled
    std::uint64_t blocks = 0;
  };
  struct Charge {
    std::int64_t at_ns;
    int whom;  ///< disk, -1: sink
  };

  [[nodiscard]] std::size_t window_blocks() const {
    return pack_.window_blocks_per_disk * state_.size();
  }

  std::size_t place() {
    std::vector<double> weights;
    for (const SimulatedDisk& disk : pack_.disks) weights.push_back(disk.weight);
    if (pack_.placed_by == PlacedBy::kChance) {
      return std::discrete_distribution<std::size_t>(weights.begin(), weights.end())(random_);
    }
    // Each gets its next block a whole round later, more or less: near round robin.
    if (round_.empty()) {
      for (std::size_t i = 0; i < state_.size(); ++i) round_.push_back(i);
      for (std::size_t i = 0; i + 1 < round_.size(); ++i) {
        const std::size_t reach = std::min<std::size_t>(4, round_.size() - i);
        std::swap(round_[i], round_[i + random_() % reach]);
      }
    }
    const std::size_t disk = round_.front();
    round_.pop_front();
    return disk;
  }

  /// When a rotating disk, free since `begins_ns` after `rested_ns` of rest, has read `bytes`.
  double spin(const SimulatedDisk& disk, DiskState& state, double begins_ns, double rested_ns,
              double bytes) {
    constexpr double kLinkBytesPerNs = 0.5;
    const double pace = 1e9 / disk.bytes_per_s;
    state.ahead_bytes = std::min(state.ahead_bytes + rested_ns / pace, disk.ahead_bytes);
    const double ahead = std::min(bytes, state.ahead_bytes);
    state.ahead_bytes -= ahead;
    double took = (bytes - ahead) * pace * std::exp(disk.scatter * normal_(random_));
    if (uniform_(random_) < disk.seek_share && ahead == 0) took += disk.seek_s * 1e9;
    return begins_ns + took + ahead / kLinkBytesPerNs;
  }

  /// When a throttled device, asked at `begins_ns`, has let `bytes` pass, as blk-throttle does it.
  static double pass(const SimulatedDisk& disk, DiskState& state, double begins_ns, double bytes) {
    constexpr double kSliceNs = 100e6;
    constexpr double kBytesPerNs = 3.0;
    const double rate = disk.bytes_per_s * 1e-9;
    if (begins_ns > state.slice_end_ns) {
      state.slice_ns = begins_ns;
      state.slice_bytes = 0;
    }
    const double slices = std::max(1.0, std::ceil((begins_ns - state.slice_ns) / kSliceNs));
    const double excess = state.slice_bytes + bytes - rate * slices * kSliceNs;
    double passes = begins_ns;
    if (excess > 0) passes = state.slice_ns + slices * kSliceNs + excess / rate;
    state.slice_bytes += bytes;
    const double whole = std::floor((passes - state.slice_ns) / kSliceNs) - 1;
    if (whole > 0) {
      state.slice_ns += whole * kSliceNs;
      state.slice_bytes = std::max(0.0, state.slice_bytes - rate * whole * kSliceNs);
    }
    state.slice_end_ns = passes + kSliceNs;
    return passes + bytes / kBytesPerNs;
  }

  /// Serves one read that is asked for at `at_ns`.
  void serve(std::size_t i, std::int64_t at_ns, std::uint64_t bytes) {
    const SimulatedDisk& disk = pack_.disks[i];
    DiskState& state = *state_[i];
    const std::int64_t issued = std::max(at_ns, state.ends_ns[0]);
    const std::int64_t begins = std::max(issued, state.ends_ns[1]);
    const auto begins_ns = static_cast<double>(begins);
    const auto size = static_cast<double>(bytes);
    const auto rested_ns = static_cast<double>(begins - state.ends_ns[1]);
    auto ends =
        static_cast<std::int64_t>(disk.throttled ? pass(disk, state, begins_ns, size)
                                                 : spin(disk, state, begins_ns, rested_ns, size));
    if (disk.pause_every_s > 0) {
      const auto every = static_cast<std::int64_t>(disk.pause_every_s * 1e9);
      if (begins / every != ends / every) ends += static_cast<std::int64_t>(disk.pause_s * 1e9);
    }
    state.ends_ns[0] = state.ends_ns[1];
    state.ends_ns[1] = ends;
    state.reads.push_back({issued, ends});
  }

  /// The next block of the scan enters the window when one has left it, is read, and consumed.
  void next_block() {
    const std::size_t i = place();
    ++state_[i]->blocks;
    std::int64_t enters = 0;
    if (left_ns_.size() == window_blocks()) {
      enters = left_ns_.front();
      left_ns_.pop_front();
    }
    for (std::uint64_t at = 0; at < pack_.block_bytes; at += pack_.read_bytes) {
      serve(i, enters, std::min(pack_.read_bytes, pack_.block_bytes - at));
    }
    const std::int64_t there = state_[i]->ends_ns[1];
    if (there > consumed_ns_) charges_.push_back({consumed_ns_, static_cast<int>(i)});
    const std::int64_t begins = std::max(there, consumed_ns_);
    charges_.push_back({begins, -1});
    consumed_ns_ = begins + static_cast<std::int64_t>(1e9 * static_cast<double>(pack_.block_bytes) /
                                                      pack_.sink_bytes_per_s);
    left_ns_.push_back(consumed_ns_);
  }

  /// Tells the counters what happened up to `until_ns`, in the order of time.
  static void play(DiskState& disk, std::int64_t until_ns) {
    while (true) {
      const bool finishes = !disk.in_flight.empty() &&
                            (disk.reads.empty() ||
                             disk.in_flight.front().finished_ns <= disk.reads.front().issued_ns);
      if (finishes) {
        const Read read = disk.in_flight.front();
        if (read.finished_ns > until_ns) return;
        disk.counters.finished(read.finished_ns, read.issued_ns, 1'000'000, false);
        disk.in_flight.pop_front();
      } else {
        if (disk.reads.empty() || disk.reads.front().issued_ns > until_ns) return;
        disk.counters.issued(disk.reads.front().issued_ns, disk.reads.front().issued_ns);
        disk.in_flight.push_back(disk.reads.front());
        disk.reads.pop_front();
      }
    }
  }

  void play_ledger() {
    while (!charges_.empty() && charges_.front().at_ns <= until_ns_) {
      const Charge charge = charges_.front();
      charges_.pop_front();
      if (charge.whom < 0) {
        ledger_.waiting_for_sink(charge.at_ns);
      } else {
        ledger_.waiting_for_disk(DiskIndex(static_cast<std::uint32_t>(charge.whom)), charge.at_ns);
      }
    }
  }

  const SimulatedPack pack_;
  std::mt19937_64 random_;
  std::normal_distribution<double> normal_;
  std::uniform_real_distribution<double> uniform_;
  StallLedger ledger_;
  std::vector<std::unique_ptr<DiskState>> state_;
  std::deque<std::size_t> round_;
  std::deque<std::int64_t> left_ns_;
  std::deque<Charge> charges_;
  std::int64_t consumed_ns_ = 0;
  std::int64_t until_ns_ = 0;
};

}  // namespace mark6::test
