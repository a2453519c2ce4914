// SPDX-License-Identifier: MIT
// Learns what the scans are, and opens their files for readers. At the start all scans are walked
// in the background; one that somebody asks for comes first. Nobody waits in here: who wants
// something leaves a callback. Files are open only while somebody reads, so that a thousand scans
// on 32 disks need few descriptors and an idle mount holds no disk busy.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include "common/catalog/scan_opener.hpp"
#include "fuse/helper_threads.hpp"
#include "fuse/scan_node.hpp"

namespace mark6 {

class ScanShelf {
 public:
  /// Indexes of more than `index_budget_bytes` together are dropped again, the least used first.
  explicit ScanShelf(std::size_t disks, std::uint64_t index_budget_bytes = kIndexBudgetBytes,
                     IndexBy index_by = IndexBy::kProof);
  ~ScanShelf();
  ScanShelf(const ScanShelf&) = delete;
  ScanShelf& operator=(const ScanShelf&) = delete;

  /// 24 bytes per block of 10 MB: enough for about 100 TB of recordings.
  static constexpr std::uint64_t kIndexBudgetBytes = std::uint64_t{256} << 20;

  /// Walks `nodes`, a few at a time, behind whatever is asked for meanwhile.
  void walk_in_background(const std::vector<ScanNodePtr>& nodes);

  /// The attributes of `node`; nullptr while they are not known.
  [[nodiscard]] std::shared_ptr<const ScanAttributes> attributes(const ScanNodePtr& node) const;
  /// Calls `done` with the attributes: at once when they are known, else later on a disk's thread.
  void want_attributes(const ScanNodePtr& node, OnAttributes done);

  /// The open files of `node`; nullptr while nobody has them open.
  [[nodiscard]] std::shared_ptr<const OpenFiles> files(const ScanNodePtr& node);
  /// Calls `done` with open files: at once when they are open, else later on another thread.
  void want_files(const ScanNodePtr& node, OnFiles done);

  /// Calls `strange`, on a disk's thread, when a walk finds files that are not what the catalog
  /// said (but for growth): somebody should look again. Before any walk.
  void when_strange(std::function<void()> strange) { when_strange_ = std::move(strange); }
  /// Whether the walk of `node` found strange files that are not like that any more. May wait for
  /// disks.
  [[nodiscard]] bool is_outdated(const ScanNodePtr& node) const;

  /// Calls all callbacks that still wait (nullptr, ENODEV) and waits for the walks in progress.
  void stop();

 private:
  void walk(const ScanNodePtr& node, bool urgent, bool background);
  void walked(const ScanNodePtr& node, const OpenedScan& opened, bool background);
  void next_in_background(std::unique_lock<std::mutex>& lock);
  void start_opening(const ScanNodePtr& node);
  void open_now(const ScanNodePtr& node, const std::shared_ptr<const IndexedScan>& index);
  void deliver_files(const ScanNodePtr& node, const std::shared_ptr<const OpenFiles>& files,
                     int error);
  void keep_index(const ScanNodePtr& node, std::shared_ptr<const IndexedScan> index);

  const std::uint64_t index_budget_bytes_;
  const IndexBy index_by_;
  std::function<void()> when_strange_ = [] {};
  mutable std::mutex mutex_;
  std::deque<ScanNodePtr> background_;
  std::size_t background_walks_ = 0;
  std::vector<ScanNodePtr> with_index_;
  std::vector<ScanNodePtr> waited_for_;  ///< nodes with callbacks, for stop()
  std::uint64_t index_bytes_ = 0;
  std::uint64_t uses_ = 0;
  bool stopping_ = false;
  HelperThreads helpers_;
  std::unique_ptr<ScanOpener> opener_;
};

}  // namespace mark6
