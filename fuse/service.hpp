// SPDX-License-Identifier: MIT
// Everything a mounted file system works with; the operations get it as libfuse's user data. The
// order of the members is the order of life: a stream needs the engine, a reply needs the stream.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <ctime>
#include <functional>
#include <memory>
#include <string>
#include <utility>

#include "common/base/clock.hpp"
#include "common/read/read_engine.hpp"
#include "common/report/stats_collector.hpp"
#include "fuse/disk_table.hpp"
#include "fuse/number_table.hpp"
#include "fuse/open_scan.hpp"
#include "fuse/options.hpp"
#include "fuse/parked_read.hpp"
#include "fuse/reply_queue.hpp"
#include "fuse/rescan.hpp"
#include "fuse/scan_shelf.hpp"
#include "fuse/tree.hpp"

namespace mark6 {

struct Service {
  Service(const FuseOptions& fuse_options, DiskTable& disk_table,
          std::unique_ptr<ReadEngine> read_engine, std::size_t reply_threads, Rescan::Look look)
      : options(fuse_options),
        disks(disk_table),
        engine(std::move(read_engine)),
        statistics("mark6fs", options.mount_point, monotonic_ns()),
        reads(disks),
        rescan(std::move(look)),
        shelf(disks.capacity(), ScanShelf::kIndexBudgetBytes, options.index_by),
        queue(reply_threads, options.timeout),
        look_queue(1, std::min<std::chrono::milliseconds>(options.timeout, kLookPatience)) {
    shelf.when_strange([this] { rescan.want(); });
  }

  ~Service() { stop(); }
  Service(const Service&) = delete;
  Service& operator=(const Service&) = delete;

  /// Ends it all: nothing waits afterwards and no read is under way. The workers have ended. Waits
  /// for disks that hang, so the caller keeps a clock.
  void stop() {
    rescan.stop();
    shelf.stop();
    open_scans.clear();
    look_queue.stop();
    queue.stop();
  }

  /// Who waits for a look at the modules is answered from memory after that.
  static constexpr std::chrono::milliseconds kLookPatience{3000};

  const FuseOptions& options;
  DiskTable& disks;
  const std::unique_ptr<ReadEngine> engine;
  StatsCollector statistics;
  ReadPool reads;
  Tree tree;
  Rescan rescan;
  ScanShelf shelf;
  NumberTable<OpenScan> open_scans;
  NumberTable<const std::string> open_texts;  ///< of .mark6
  NumberTable<const std::vector<ScanNodePtr>> open_directories;
  ReplyQueue queue;
  ReplyQueue look_queue;  ///< of requests that wait for a look at the modules
  const std::time_t mounted_at = std::time(nullptr);
  /// Called once when the kernel says hello, on a worker; returns the read-ahead it may use, in
  /// bytes (0: what the kernel proposes).
  std::function<unsigned()> on_init;
};

}  // namespace mark6
