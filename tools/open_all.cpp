// SPDX-License-Identifier: MIT
#include "tools/open_all.hpp"

#include <sys/resource.h>

#include <algorithm>
#include <condition_variable>
#include <mutex>

namespace mark6 {
namespace {

/// Descriptors that may be open for fragments: half of what the process is allowed.
std::size_t descriptor_budget() {
  constexpr rlim_t kEnough = 1024;
  struct rlimit limit {};
  if (::getrlimit(RLIMIT_NOFILE, &limit) != 0) return kEnough / 2;
  return static_cast<std::size_t>(std::min(limit.rlim_cur, kEnough)) / 2;
}

/// A fragment is opened twice: for O_DIRECT and through the page cache.
std::size_t descriptors_of(const Scan& scan) { return 2 * scan.fragments.size(); }

/// How many scans are done, and the descriptors in use meanwhile.
class Collector {
 public:
  /// Waits until `descriptors` more fit into `budget`; false when asked to stop. Whatever it
  /// needs, one scan may always be open.
  bool reserve(std::size_t descriptors, std::size_t budget, const std::stop_token& stop) {
    std::unique_lock lock(mutex_);
    const bool ready =
        changed_.wait(lock, stop, [&] { return in_use_ == 0 || in_use_ + descriptors <= budget; });
    if (!ready || stop.stop_requested()) return false;
    in_use_ += descriptors;
    return true;
  }

  void release(std::size_t descriptors) {
    const std::lock_guard lock(mutex_);
    in_use_ -= descriptors;
    ++done_;
    changed_.notify_all();
  }

  /// Waits until `scans` are done; false when asked to stop.
  bool wait_for(std::size_t scans, const std::stop_token& stop) {
    std::unique_lock lock(mutex_);
    return changed_.wait(lock, stop, [&] { return done_ == scans; });
  }

 private:
  std::mutex mutex_;
  std::condition_variable_any changed_;
  std::size_t done_ = 0;
  std::size_t in_use_ = 0;
};

}  // namespace

bool open_all(const Catalog& catalog, const std::vector<const Scan*>& scans,
              const OpenAllOptions& options, const std::stop_token& stop,
              const std::function<void(std::size_t, const OpenedScan&)>& visit) {
  const std::size_t budget = descriptor_budget();
  Collector collector;
  ScanOpener opener(catalog.disks.size(), options.progress);  // last: its threads end first
  for (std::size_t i = 0; i < scans.size(); ++i) {
    const std::size_t descriptors = descriptors_of(*scans[i]);
    if (!collector.reserve(descriptors, budget, stop)) return false;
    const auto done = [&, i, descriptors](OpenedScanPtr opened) {
      visit(i, *opened);
      opened.reset();  // closes the files, before their descriptors count as free
      collector.release(descriptors);
    };
    opener.open(*scans[i], false, done, options.index_by);
  }
  return collector.wait_for(scans.size(), stop);
}

}  // namespace mark6
