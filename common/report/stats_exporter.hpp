// SPDX-License-Identifier: MIT
// Carries a collector's snapshots out of the process, on a thread of its own: to files at an
// interval and at the end, and to whoever asks at the socket. What goes wrong here is told in the
// log, once, and never disturbs a stream.
#pragma once

#include <chrono>
#include <functional>
#include <optional>
#include <string>
#include <thread>

#include "common/base/error.hpp"
#include "common/os/unique_fd.hpp"
#include "common/report/stats_collector.hpp"

namespace mark6 {

struct StatsExportOptions {
  std::optional<std::string> json_file;        ///< --stats
  std::optional<std::string> prometheus_file;  ///< --prometheus
  std::chrono::milliseconds interval{10'000};
};

/// The interval in "10" or "0.5" seconds. Errors: kUsage (not a number of 0.1 to 86400).
Result<std::chrono::milliseconds> parse_stats_interval(const std::string& option,
                                                       const std::string& text);

/// Whether the files can be written: absent, or statistics of before. Errors: those of
/// check_replaceable(); kUsage when both are the same.
Result<void> check_stats_files(const StatsExportOptions& options);

class StatsExporter {
 public:
  /// `collector` outlives it. `first` is called on the thread before anything else: for what may
  /// take a moment, as finding out which devices the disks are.
  StatsExporter(StatsCollector& collector, StatsExportOptions options,
                std::function<void()> first = {});
  /// Writes the files for the last time, with the verdicts over all the time, and ends.
  ~StatsExporter();
  StatsExporter(const StatsExporter&) = delete;
  StatsExporter& operator=(const StatsExporter&) = delete;

 private:
  void serve(const std::function<void()>& first);
  void write_files(StatsSpan span);
  void write_file(const std::string& path, const std::string& text, std::string_view mark,
                  bool& complained) const;

  StatsCollector& collector_;
  const StatsExportOptions options_;
  UniqueFd wake_;
  bool json_complained_ = false;
  bool prometheus_complained_ = false;
  std::thread thread_;  // last: it uses all of the above
};

}  // namespace mark6
