// SPDX-License-Identifier: MIT
// Which device a directory or fragment stands on: partitions, loop, dm and md devices resolved,
// down to the disks. Where something cannot be known it is absent, never guessed.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "common/account/device_facts.hpp"
#include "common/account/device_number.hpp"
#include "common/account/system_files.hpp"
#include "common/base/error.hpp"

namespace mark6 {

struct DeviceIdentity {
  /// The whole disk's name, as in /proc/diskstats: "sdr"; "loop3", "dm-0" and "md127" for those.
  std::optional<std::string> kernel_name;
  std::optional<std::string> partition;  ///< "sdr1" where it is one
  /// The whole disk's MAJ:MIN. Where /sys does not know the device, that of the partition.
  std::optional<DeviceNumber> number;
  DeviceFacts facts;  ///< of the whole disk

  std::optional<std::string> volume_name;   ///< dm: its name in /dev/mapper
  std::optional<std::string> backing_file;  ///< loop: its file, any bytes: print it escaped()
  std::optional<std::string> file_system;   ///< "xfs"; only known when asked for a path
  std::optional<std::string> mount_source;  ///< "/dev/sdr1", "server:/x"; any bytes

  /// What this device stands on: all slaves of dm and md, the device of a loop device's file. Empty
  /// for disks.
  std::vector<DeviceIdentity> below;
};

/// The device of `path` (a disk directory, a fragment, or a block device itself). A file system
/// without a device of its own (NFS, FUSE, tmpfs) gives an identity that has only file_system and
/// mount_source. btrfs and overlay are resolved by what they were mounted from; an overlay only
/// when all its layers stand on one device. Errors: kNotFound, kIo when `path` cannot be looked at.
Result<DeviceIdentity> identify_device_of(const std::string& path, const SystemRoots& roots = {});

/// The device with this number (FileIdentity::device of a fragment that is open).
DeviceIdentity identify_device(DeviceNumber number, const SystemRoots& roots = {});

/// The line of /proc/diskstats that shows what our reads do to this device (DiskStats::find): that
/// of the whole disk, of the loop, dm or md device itself; not of the disks below.
std::optional<DeviceNumber> kernel_disk_of(const DeviceIdentity& identity);

/// The disks at the bottom, each once, in the order in which they are found: `identity` itself when
/// nothing is below. They point into `identity`.
std::vector<const DeviceIdentity*> physical_disks(const DeviceIdentity& identity);

}  // namespace mark6
