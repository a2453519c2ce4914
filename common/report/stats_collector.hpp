// SPDX-License-Identifier: MIT
// Gathers what a program's reader did into snapshots: counters of the disks, ledgers of the
// streams, verdicts over the last seconds and over all. Costs nothing between snapshots; one of 32
// disks takes about a millisecond. Programs bring names, counters and streams; everything here is
// thread-safe.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "common/account/disk_activity.hpp"
#include "common/report/progress.hpp"
#include "common/report/stats.hpp"

namespace mark6 {

/// What the verdicts of a snapshot are about.
enum class StatsSpan {
  kRecent,  ///< the last kSpanNs and a little more; of disks with too little data in them: all
  kAll,     ///< since the program began
};

class StatsCollector {
 public:
  /// The shortest span that verdicts are made of, once there is so much.
  static constexpr std::int64_t kSpanNs = 10'000'000'000;
  /// tick() is wanted about so often.
  static constexpr std::int64_t kTickNs = kSpanNs / 2;

  StatsCollector(std::string program, std::string target, std::int64_t now_ns);

  /// The next disk, by DiskIndex. `counters` outlive the collector.
  void add_disk(std::string module, std::string disk, const DeviceCounters& counters);
  [[nodiscard]] std::size_t disks() const;
  void set_identity(std::size_t disk, DeviceIdentity identity);
  /// Blocks of one scan, by disk; absent for disks that are none of the scan's. Disks are compared
  /// by them, so they are those of one recording: the scan that was opened last.
  void set_blocks(std::vector<std::optional<std::uint64_t>> blocks);

  /// A stream that counts until the handle is destroyed.
  class Stream {
   public:
    Stream(Stream&&) noexcept;
    Stream& operator=(Stream&&) noexcept;
    ~Stream();

   private:
    friend class StatsCollector;
    Stream(StatsCollector& collector, std::uint64_t id) : collector_(&collector), id_(id) {}
    StatsCollector* collector_;
    std::uint64_t id_;
  };
  /// `sample` is called on any thread, with a lock held, until the handle is destroyed; it must not
  /// wait or call the collector.
  [[nodiscard]] Stream add_stream(std::string scan, std::uint64_t total_bytes,
                                  std::function<StreamSample()> sample);

  /// Remembers the state now if the last time is kTickNs ago: where a span can begin.
  void tick(std::int64_t now_ns);
  [[nodiscard]] StatsSnapshot snapshot(std::int64_t now_ns, StatsSpan span = StatsSpan::kRecent);
  /// "2/5 (sdr)" by DiskIndex, the kernel's name where it is known: for reports.
  [[nodiscard]] std::vector<std::string> names() const;

 private:
  struct Disk {
    std::string module, name;
    const DeviceCounters* counters;
    DeviceIdentity identity;
  };
  struct LiveStream {
    std::string scan;
    std::uint64_t total_bytes;
    std::function<StreamSample()> sample;
  };
  struct DiskLook {
    DeviceCounters::Snapshot counters;
    DiskActivity activity;
  };
  /// Everything at one instant.
  struct Look {
    std::int64_t at_ns = 0;
    std::vector<DiskLook> disks;
    std::map<std::uint64_t, StreamSample> streams;
  };
  struct Span;

  Look look(std::int64_t now_ns) const;
  std::shared_ptr<const Look> beginning(std::int64_t now_ns) const;
  void end_stream(std::uint64_t id);
  static std::string label_of(const Disk& disk);
  static std::string name_of(const Disk& disk);
  DeviceStats device_stats(std::size_t i, const Span& recent, const Span& all,
                           StatsSpan wanted) const;
  StreamStats live_stats(std::uint64_t id, const Span& span) const;

  const std::string program_, target_;
  const std::int64_t began_ns_;
  mutable std::mutex mutex_;
  std::vector<Disk> disks_;
  std::vector<std::optional<std::uint64_t>> blocks_;
  std::map<std::uint64_t, LiveStream> streams_;
  std::uint64_t next_stream_ = 0;
  std::map<std::string, StreamStats> ended_;       ///< by scan
  std::vector<std::int64_t> ended_stall_ns_;       ///< by disk
  std::deque<std::shared_ptr<const Look>> looks_;  ///< the oldest first
};

}  // namespace mark6
