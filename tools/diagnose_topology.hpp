// SPDX-License-Identifier: MIT
// What a few disks have in common that the others have not: by the devices on the way to them in
// /sys, by the device that they stand on, or else by their place in the modules. Pure.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "tools/diagnose_disks.hpp"

namespace mark6 {

/// "module 1 lane 0-3": the four disks on one cable of a module (by their numbers).
std::string lane_of(const DiskUnderTest& disk);

/// What the disks `group` of `disks` share: "all stand on loop30, and no other disk does", "all are
/// behind SAS expander expander-6:0 ...", "these disks only share module 1 lane 0-3", or "nothing
/// in /sys or in their places tells what they share".
std::string what_they_share(const std::vector<DiskUnderTest>& disks,
                            const std::vector<std::size_t>& group);

/// A line for each device on which several of `disks` lie: they hold each other up by nature.
std::vector<std::string> disks_on_one_device(const std::vector<DiskUnderTest>& disks);

}  // namespace mark6
