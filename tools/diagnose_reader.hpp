// SPDX-License-Identifier: MIT
// Reads any set of disks at the same time for a while, each as fast as it gives, and tells what
// each of them did meanwhile. The disks do not wait for each other, unlike those of a stream. Reads
// only, around the page cache where the file system allows; a few MiB of memory per disk.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <vector>

#include "common/account/disk_activity.hpp"
#include "common/base/error.hpp"
#include "common/os/file.hpp"
#include "common/read/read_engine.hpp"
#include "tools/diagnose_loop.hpp"

namespace mark6 {

/// For how long disks are read. What they do first is not counted: an idle disk may serve that from
/// its cache, a throttled one from credit.
struct ReadWindow {
  double warm_up_s = 0.3;                   ///< at most; less when all disks gave warm_up_bytes
  std::uint64_t warm_up_bytes = 8'000'000;  ///< per disk
  double seconds = 1;                       ///< counted
  std::uint64_t enough_bytes = 0;  ///< ends it sooner, when all disks gave so many; 0: never
  double least_s = 0.25;           ///< but not before
  /// Goes on for up to so long while a disk has finished fewer than kFewRequests.
  double patience_s = 0;
  static constexpr std::uint64_t kFewRequests = 20;
};

/// What a set of disks did while they were read together.
struct GroupMeasure {
  std::vector<std::size_t> disks{};
  std::vector<DiskActivity> activity{};  ///< of these disks, in their order
  std::int64_t elapsed_ns = 0;
  double cpu_s = 0;                      ///< of this process
  std::optional<double> machine_busy{};  ///< share of all CPUs' time, by whomever, 0..1

  /// By place in `disks`.
  [[nodiscard]] double rate(std::size_t i) const;
  [[nodiscard]] double total_rate() const;
  [[nodiscard]] std::uint64_t bytes() const;
  [[nodiscard]] double cpu_s_per_gb() const;
  /// Whether the CPU seems to be what limits: all of them busy, or the thread that reads.
  [[nodiscard]] bool cpu_bound() const;
};

class PackReader {
 public:
  struct Options {
    double timeout_s = 30;  ///< a disk that does not answer for so long is given up
    std::size_t depth = 2;  ///< reads in flight per disk
    BackendFactory backend = default_backend();
  };

  /// `disks[i]`: the open files of disk `i`; none: it cannot be read. Errors: kIo, kUnsupported.
  static Result<std::unique_ptr<PackReader>> start(std::vector<std::vector<DataFile>> disks,
                                                   const Options& options);
  /// Lets go of `reader`, whether or not disks owe answers (diagnose_hung.hpp).
  static void finish(std::unique_ptr<PackReader> reader);
  ~PackReader();
  PackReader(const PackReader&) = delete;
  PackReader& operator=(const PackReader&) = delete;

  /// Reads `disks` at the same time; those that hang or have no files are left out. Returns early,
  /// with what there is, when `stop` is requested. `tick` is called now and then meanwhile with the
  /// bytes per second of all of them since the warm-up.
  GroupMeasure measure(std::span<const std::size_t> disks, const ReadWindow& window,
                       const std::stop_token& stop, const std::function<void(double)>& tick = {});

  /// Whether the disk owes an answer for longer than the time-out.
  [[nodiscard]] bool hung(std::size_t disk) const;
  [[nodiscard]] bool readable(std::size_t disk) const;
  /// Different bytes that it may be read from; in all.
  [[nodiscard]] std::uint64_t data_bytes(std::size_t disk) const;
  /// Whether its files are read around the page cache.
  [[nodiscard]] bool direct(std::size_t disk) const;
  /// Reads that failed since the start, and the errno of the last one.
  [[nodiscard]] std::uint64_t errors(std::size_t disk) const;
  [[nodiscard]] int last_error(std::size_t disk) const;

 private:
  class Lap;

  explicit PackReader(const Options& options);
  [[nodiscard]] std::vector<DiskActivity> look_at(const std::vector<std::size_t>& disks) const;
  void drain(std::span<const std::size_t> disks, const std::stop_token& stop);

  Options options_;
  std::unique_ptr<LoopSignal> signal_;
  std::unique_ptr<ReadEngine> engine_;
  std::vector<std::unique_ptr<DiskLoop>> loops_;
};

}  // namespace mark6
