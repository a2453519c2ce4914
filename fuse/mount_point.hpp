// SPDX-License-Identifier: MIT
// Where the file system is attached: what must be true before it can be, told in sentences, and
// how it is taken off again. Asks the kernel through /proc/self/mountinfo, never the mount itself.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "common/base/error.hpp"
#include "fuse/options.hpp"

namespace mark6 {

/// One line of mountinfo.
struct MountEntry {
  std::string device;  ///< "0:45"
  std::string mount_point;
  std::string type;  ///< "fuse.mark6fs"
  std::string source;
  std::optional<unsigned> user;  ///< who mounted it, where the file system tells (user_id=)
};

/// The lines of a mountinfo text; lines that cannot be understood are left out.
std::vector<MountEntry> parse_mountinfo(std::string_view text);

/// What is mounted on top at exactly `mount_point` (absolute); nothing when nothing is.
std::optional<MountEntry> mounted_at(const std::string& mount_point);

/// The mount point as an absolute path without links. Errors: kNotFound (missing), kUsage (not a
/// directory, a mark6fs serves there), kIo (a dead mount of before). With `replace`, mounts that
/// make_way() takes off are no errors, but other file systems are.
Result<std::string> check_mount_point(const std::string& path, bool replace = false);

/// Takes off every mark6fs of this user, dead or alive, that is mounted on top at `mount_point`;
/// what is open in a live one can be read to its end. Never another file system.
Result<void> make_way(const std::string& mount_point);

/// Whether this machine and user can mount at all. Errors: kUnsupported, with the cure.
Result<void> check_fuse(const FuseOptions& options);

/// Whether the text of /etc/fuse.conf lets users share their mounts.
bool allows_user_allow_other(std::string_view fuse_conf);

/// Errors: kUsage when one of `directories` lies at or below `mount_point`: the mount would hide
/// the data it serves.
Result<void> check_outside(const std::string& mount_point,
                           const std::vector<std::string>& directories);

/// Takes `mount` out of the tree at once; open files stay readable until they are closed. Does
/// nothing when something else is mounted there now. Errors: kIo.
Result<void> detach_mount(const MountEntry& mount);

/// Lets the kernel read `bytes` ahead on `mount`; false where we may not.
bool raise_read_ahead(const MountEntry& mount, unsigned bytes);

}  // namespace mark6
