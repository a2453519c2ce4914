// SPDX-License-Identifier: MIT
// What a recording tells of its recorder: a ready block goes to the idle disk with the fewest
// bytes, so that all disks get alike, and one that has far fewer blocks than its peers was slow
// while recording, or dropped out. It is known without reading a byte, and says nothing about how
// fast the disk reads now.
#pragma once

#include <cstddef>
#include <span>

#include "common/account/disk_activity.hpp"
#include "common/account/verdict.hpp"

namespace mark6 {

/// Fills in `slow_while_recording` and `recording` of the verdict on disk `i`, from the blocks of
/// all disks, those whose blocks are not known left out.
void add_recorder_share(std::span<const DiskActivity> disks, std::size_t i, DiskVerdict& verdict);

}  // namespace mark6
