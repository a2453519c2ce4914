// SPDX-License-Identifier: MIT
// What a program's reader has done, at one instant: per disk, per stream. The model behind every
// export: JSON (stats_json.hpp), Prometheus (stats_prometheus.hpp), the table (stats_table.hpp),
// the socket (stats_socket.hpp). Plain values; parsing the JSON gives the same back. The keys are
// documented in docs/reference/stats.md.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "common/account/device_counters.hpp"
#include "common/account/device_identity.hpp"
#include "common/account/latency_counts.hpp"
#include "common/account/stall_ledger.hpp"
#include "common/account/verdict.hpp"

namespace mark6 {

/// How many requests took longer than the bucket below and no longer than `at_most_s`.
struct LatencyBucket {
  double at_most_s = 0;
  std::uint64_t requests = 0;
  bool operator==(const LatencyBucket&) const = default;
};

/// Service times of requests, in seconds.
struct LatencyFigures {
  double p50_s = 0, p99_s = 0, max_s = 0;
  double sum_s = 0;  ///< over all requests
  /// One per power of two ns from 2^16 (66 us) to 2^35 (34 s), the smallest first; what took longer
  /// is in none. Empty when not known.
  std::vector<LatencyBucket> buckets;
  bool operator==(const LatencyFigures&) const = default;
};

/// What a disk did over some time.
struct DeviceFigures {
  std::uint64_t requests = 0;      ///< finished, good or bad
  std::uint64_t bytes = 0;         ///< as read from the device, alignment included
  std::uint64_t cached_bytes = 0;  ///< taken from the page cache; not in `bytes`
  std::uint64_t errors = 0;
  std::uint64_t retries = 0;
  double busy_s = 0;        ///< with a request in flight
  double queue_s = 0;       ///< integral of the number in flight; over time it is iostat's aqu-sz
  double queue_wait_s = 0;  ///< spent in our own queue, over all requests
  double stall_s = 0;       ///< streams stood still for it, summed over all streams, ended ones too
  LatencyFigures latency;
  bool operator==(const DeviceFigures&) const = default;
};

/// One disk of a module.
struct DeviceStats {
  std::string module;  ///< "2"; "" where there is none
  std::string disk;    ///< "5"
  /// The device below it. Parsed JSON has no mount_source, and names only in `below`.
  DeviceIdentity identity;
  DeviceFigures total;          ///< since the program began
  DeviceFigures recent;         ///< over the last StatsSnapshot::span_s
  std::uint32_t in_flight = 0;  ///< now
  DiskVerdict verdict;
  bool verdict_is_recent = false;       ///< from `recent`; else from `total`
  std::optional<std::uint64_t> blocks;  ///< of the scan opened last, how many lie on it
  std::optional<double> block_share;    ///< of all its blocks, 0..1

  /// "2/5", or "5" without a module: the key in StreamStats::stall_s.
  [[nodiscard]] std::string label() const { return module.empty() ? disk : module + "/" + disk; }
};

/// One stream that is open, or the last one of a program that has only one.
struct StreamStats {
  std::string scan;               ///< its name; bytes as on the disks
  std::uint64_t bytes = 0;        ///< delivered
  std::uint64_t total_bytes = 0;  ///< to be delivered; 0 when not known
  double elapsed_s = 0;           ///< = all of stall_s + sink_s + work_s
  /// Time that the stream stood still for a disk, by its label; disks never waited for are absent.
  std::vector<std::pair<std::string, double>> stall_s;
  double sink_s = 0;
  double work_s = 0;
  std::string limit = "unknown";  ///< what limits it: unknown, disk, disks, sink, work
  double limit_share = 0;         ///< of the elapsed time, 0..1
  std::string limit_reason;       ///< a sentence with figures
};

struct StatsSnapshot {
  std::string program;      ///< "mark6gather", "mark6fs"
  std::string target;       ///< the scan or the mount point
  std::int64_t pid = 0;     ///< of the process
  double time_s = 0;        ///< since 1970
  double uptime_s = 0;      ///< since the reader began; monotonic
  double span_s = 0;        ///< DeviceStats::recent is what happened in the last so many seconds
  bool span_is_all = true;  ///< which is all there is
  std::vector<DeviceStats> devices;
  std::vector<StreamStats> streams;  ///< that are open, or the one of a program that ends
  std::vector<StreamStats> ended;    ///< before: one entry per scan, summed up, without a verdict
};

/// The figures of a disk whose latencies were `latency`; stall_s is the caller's to fill in.
DeviceFigures figures_of(const DeviceCounters::Snapshot& counters, const LatencyCounts& latency);

/// What came on top of `before`; `latency` are those of the time between. Fields that seem to have
/// gone backwards are 0.
DeviceFigures figures_since(const DeviceCounters::Snapshot& before,
                            const DeviceCounters::Snapshot& now, const LatencyCounts& latency);

/// The ledger as a stream's figures; `labels` name the disks, by DiskIndex. The verdict is the
/// caller's to fill in.
StreamStats stream_stats(std::string scan, std::uint64_t bytes, std::uint64_t total_bytes,
                         const StallLedger::Snapshot& time, const std::vector<std::string>& labels);

/// Adds what `stream` did to `sum`, which keeps its name and its verdict.
void add_stream(StreamStats& sum, const StreamStats& stream);

/// Time that `stream` stood still for the disk with this label; 0 when it never did.
double stall_of(const StreamStats& stream, const std::string& label);

}  // namespace mark6
