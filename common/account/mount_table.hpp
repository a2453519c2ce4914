// SPDX-License-Identifier: MIT
// /proc/self/mountinfo: which file system a path lies on, and what it was mounted from. Pure.
// Format: proc_pid_mountinfo(5).
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "common/account/device_number.hpp"

namespace mark6 {

struct Mount {
  DeviceNumber number;      ///< st_dev of its files; btrfs gives each subvolume another one
  std::string mount_point;  ///< octal escapes undone: any byte may be in it
  std::string file_system;  ///< "xfs", "fuse.mergerfs"
  std::string source;       ///< "/dev/sdb1", "server:/export", "overlay"
  std::string options;      ///< of the super block, as they stand: "rw,lowerdir=..."
};

/// All lines that can be understood, in the order of the file; others are left out.
std::vector<Mount> parse_mounts(std::string_view text);

/// The mount on which the absolute, canonical `path` lies whose stat says `number`: the innermost
/// with that number. Where none has an anonymous number, the innermost at all, for the files of a
/// btrfs subvolume have a number that no line shows. The last of equals is the topmost. nullptr
/// when there is none. Points into `mounts`.
const Mount* mount_of(const std::vector<Mount>& mounts, std::string_view path, DeviceNumber number);

/// Directories of the layers of an overlay (upperdir and all lowerdirs), escapes undone.
std::vector<std::string> overlay_layers(std::string_view options);

}  // namespace mark6
