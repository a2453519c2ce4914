// SPDX-License-Identifier: MIT
// /proc/diskstats: the kernel's counters of every block device. Fields and their meaning: the
// kernel's Documentation/admin-guide/iostats.rst. What happened between two readings is told by
// kernel_activity.hpp.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "common/account/device_number.hpp"
#include "common/base/error.hpp"

namespace mark6 {

/// Requests of one kind that were completed since the device appeared.
struct KindCounters {
  std::uint64_t requests = 0;
  std::uint64_t merged = 0;   ///< requests that went along in another one
  std::uint64_t sectors = 0;  ///< of 512 bytes, whatever the disk
  std::uint64_t time_ms = 0;  ///< sum over all requests; the kernel counts to 2^32
};

struct DiskCounters {
  DeviceNumber number;
  std::string name;
  KindCounters reads, writes;
  KindCounters discards;        ///< zeros before Linux 4.18
  std::uint64_t flushes = 0;    ///< zero before Linux 5.5
  std::uint64_t flush_ms = 0;   ///< as time_ms
  std::uint64_t in_flight = 0;  ///< now; kernels that print -1 have none
  std::uint64_t busy_ms = 0;    ///< with a request in flight; the kernel counts to 2^32
  std::uint64_t queue_ms = 0;   ///< integral of the number in flight; as busy_ms
  std::uint32_t fields = 0;     ///< on the line: 14, 18 (discards), 20 (flushes)
};

/// All devices at one time.
struct DiskStats {
  std::int64_t taken_ns = 0;  ///< monotonic_ns() when it was read
  std::vector<DiskCounters> disks;

  /// The device with this number (kernel_disk_of), nullptr when it is not there.
  [[nodiscard]] const DiskCounters* find(DeviceNumber number) const;
  /// The device with this name: "sdr".
  [[nodiscard]] const DiskCounters* find(std::string_view name) const;
};

/// The lines of `text` that can be understood, in their order. Lines of less than 14 fields (those
/// of partitions before Linux 2.6.25 have 7), with anything but numbers or with numbers above
/// 2^64 - 1 are left out, and so is a last line without a newline. Fields behind the 20th are not
/// looked at.
std::vector<DiskCounters> parse_diskstats(std::string_view text);

/// Reads the file anew each time; at most 4 MiB of it (about 40000 devices).
class DiskStatsReader {
 public:
  explicit DiskStatsReader(std::string path = "/proc/diskstats") : path_(std::move(path)) {}

  /// All counters now. Errors: kNotFound when the file cannot be read.
  [[nodiscard]] Result<DiskStats> read() const;

 private:
  std::string path_;
};

}  // namespace mark6
