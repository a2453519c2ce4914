// SPDX-License-Identifier: MIT
// The kernel's number of a block device: what stat calls st_dev, /sys and /proc/diskstats MAJ:MIN.
#pragma once

#include <sys/types.h>

#include <compare>
#include <optional>
#include <string>
#include <string_view>

namespace mark6 {

struct DeviceNumber {
  unsigned major = 0;
  unsigned minor = 0;
  auto operator<=>(const DeviceNumber&) const = default;

  /// Numbers without a device behind them (btrfs, overlay, tmpfs, NFS) have major 0.
  [[nodiscard]] bool anonymous() const { return major == 0; }
};

/// From st_dev or st_rdev.
DeviceNumber device_number(dev_t device);
/// "8:16", as /sys and /run/udev name it.
std::string to_string(DeviceNumber number);
/// From "8:16"; nothing when it is anything else.
std::optional<DeviceNumber> parse_device_number(std::string_view text);

}  // namespace mark6
