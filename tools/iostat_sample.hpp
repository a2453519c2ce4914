// SPDX-License-Identifier: MIT
// What `mark6 iostat` looks at: the disks of the modules and their devices, once; then, for each
// report, the kernel's counters and the programs of this user that are running. Where all this
// comes from can be replaced, so that tests make machines of their own.
#pragma once

#include <cstdint>
#include <functional>
#include <stop_token>
#include <string>
#include <vector>

#include "common/account/device_identity.hpp"
#include "common/account/disk_stats.hpp"
#include "common/account/system_files.hpp"
#include "common/base/error.hpp"
#include "common/catalog/catalog.hpp"
#include "common/report/stats.hpp"

namespace mark6 {

/// One disk of a module and the device that it stands on.
struct WatchedDisk {
  std::string module;  ///< "2"; "" where there is none
  std::string disk;    ///< "5"
  std::string msn;     ///< of the module; "" when not known
  DeviceIdentity identity;

  /// "2/5", or "5" without a module.
  [[nodiscard]] std::string label() const { return module.empty() ? disk : module + "/" + disk; }
};

/// All that is known at one time.
struct IostatSample {
  std::int64_t taken_ns = 0;            ///< IostatWorld::now_ns
  double time_s = 0;                    ///< since 1970
  double uptime_s = 0;                  ///< since the machine was booted
  DiskStats kernel;                     ///< all devices of the machine
  std::vector<StatsSnapshot> programs;  ///< running mark6fs and mark6gather of this user
};

/// Where samples come from, and the clock. As it is made it is this machine.
struct IostatWorld {
  SystemRoots roots{};
  std::function<std::vector<StatsSnapshot>()> running;
  std::function<std::int64_t()> now_ns;  ///< monotonic
  std::function<double()> unix_time_s;
  /// Sleeps until now_ns() is `deadline_ns`; false when it was asked to stop instead.
  std::function<bool(std::int64_t deadline_ns, const std::stop_token& stop)> wait_until;

  IostatWorld();
};

/// The disks of `catalog` with their devices, in its order. A disk that cannot be looked at has an
/// empty identity, and a line in `problems` says so.
std::vector<WatchedDisk> watched_disks(const Catalog& catalog, const SystemRoots& roots,
                                       std::vector<std::string>& problems);

/// Errors: kNotFound when /proc/diskstats or /proc/uptime cannot be read.
Result<IostatSample> take_sample(const IostatWorld& world);

}  // namespace mark6
