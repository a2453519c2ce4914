// SPDX-License-Identifier: MIT
// One open(2) of a scan: its files, its stream, and what was said about its troubles. The kernel
// knows it by a number; a read that waits for a hung disk keeps it alive beyond its close(2).
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>

#include "common/read/scan_stream.hpp"
#include "common/report/stats_collector.hpp"
#include "fuse/disk_table.hpp"
#include "fuse/scan_node.hpp"

namespace mark6 {

class OpenScan {
 public:
  /// Counts in `statistics`, which outlives it.
  OpenScan(ReadEngine& engine, StatsCollector& statistics, ScanNodePtr node,
           std::shared_ptr<const OpenFiles> files);

  [[nodiscard]] const std::string& name() const { return node_->name(); }
  [[nodiscard]] std::uint64_t size_bytes() const { return files_->scan->index.size_bytes(); }
  [[nodiscard]] ScanStream& stream() const { return *stream_; }

  /// Logs that reading [offset, offset + length) failed with `error`, naming the disks; the first
  /// time for each kind of error.
  void complain(ScanOffset offset, std::size_t length, int error, const DiskTable& disks);

 private:
  const ScanNodePtr node_;
  const std::shared_ptr<const OpenFiles> files_;
  const std::unique_ptr<ScanStream> stream_;
  const StatsCollector::Stream counted_;  // ends before the stream does
  std::atomic<bool> said_slow_{false};
  std::atomic<bool> said_error_{false};
};

}  // namespace mark6
