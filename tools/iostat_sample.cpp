// SPDX-License-Identifier: MIT
#include "tools/iostat_sample.hpp"

#include <chrono>
#include <cmath>
#include <condition_variable>
#include <cstdlib>
#include <mutex>
#include <optional>
#include <utility>

#include "common/base/clock.hpp"
#include "tools/iostat_running.hpp"

namespace mark6 {
namespace {

bool wait_until_ns(std::int64_t deadline_ns, const std::stop_token& stop) {
  const std::chrono::steady_clock::time_point deadline{std::chrono::nanoseconds(deadline_ns)};
  std::mutex mutex;
  std::condition_variable_any stopped;
  // cppcheck-suppress localMutex ; waiting takes one, though nothing is shared
  std::unique_lock lock(mutex);
  stopped.wait_until(lock, stop, deadline, [] { return false; });
  return !stop.stop_requested();
}

double unix_now_s() {
  return std::chrono::duration<double>(std::chrono::system_clock::now().time_since_epoch()).count();
}

/// Seconds since boot: the first number in /proc/uptime.
Result<double> read_uptime_s(const SystemRoots& roots) {
  const std::string path = roots.proc + "/uptime";
  const auto text = read_bounded(path, 256);
  char* end = nullptr;
  const double uptime_s = text ? std::strtod(text->c_str(), &end) : 0;
  if (!text || end == text->c_str() || !std::isfinite(uptime_s) || uptime_s <= 0) {
    return failure(ErrorCode::kNotFound, path, "cannot be read as a number of seconds",
                   "the time since boot", "mount /proc");
  }
  return uptime_s;
}

}  // namespace

IostatWorld::IostatWorld()
    : running(running_programs),
      now_ns(monotonic_ns),
      unix_time_s(unix_now_s),
      wait_until(wait_until_ns) {}

std::vector<WatchedDisk> watched_disks(const Catalog& catalog, const SystemRoots& roots,
                                       std::vector<std::string>& problems) {
  const std::vector<DiskMetadata> metadata = read_metadata(catalog);
  std::vector<WatchedDisk> disks;
  for (std::size_t i = 0; i < catalog.disks.size(); ++i) {
    const Disk& found = catalog.disks[i];
    WatchedDisk disk;
    disk.module = found.module;
    disk.disk = found.name;
    if (metadata[i].serial) disk.msn = metadata[i].serial->msn;
    auto identity = identify_device_of(found.directory, roots);
    if (identity) {
      disk.identity = std::move(*identity);
    } else {
      problems.push_back(describe(identity.error()));
    }
    disks.push_back(std::move(disk));
  }
  return disks;
}

Result<IostatSample> take_sample(const IostatWorld& world) {
  IostatSample sample;
  // First the programs, whose answers may take a while; then the counters and the clock, together.
  sample.programs = world.running();
  const auto uptime_s = read_uptime_s(world.roots);
  if (!uptime_s) return Failure(uptime_s.error());
  sample.uptime_s = *uptime_s;
  sample.taken_ns = world.now_ns();
  auto kernel = DiskStatsReader(world.roots.proc + "/diskstats").read();
  if (!kernel) return Failure(kernel.error());
  sample.kernel = std::move(*kernel);
  sample.time_s = world.unix_time_s();
  return sample;
}

}  // namespace mark6
