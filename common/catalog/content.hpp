// SPDX-License-Identifier: MIT
// What a scan holds (times, threads, rate), from a few frames of its first and last blocks: a few
// MB are read, however long the scan is.
#pragma once

#include <cstdint>

#include "common/catalog/scan_opener.hpp"
#include "common/vdif/survey.hpp"

namespace mark6 {

/// Blocks that are looked at, at each end: those of several streams take turns.
inline constexpr std::size_t kEndBlocks = 8;
/// Valid frames that are wanted, of the first (or last) block, and of each of the others.
inline constexpr std::size_t kEnoughFrames = 64;
inline constexpr std::size_t kFewFrames = 16;
/// Where those hold no valid frame, blocks next to them that are searched.
inline constexpr std::size_t kSearchedBlocks = 64;
/// Packets that are looked at in one block, at most: the recorder may put 1000 fill packets in
/// front of the first valid frame.
inline constexpr std::size_t kMaxContentPackets = 4096;

/// Reads through the page cache. What cannot be read is passed over; kUnknown when nothing is a
/// frame. A second's border is looked for (a bisection over the blocks) only where the rate cannot
/// be counted.
vdif::Content content_of(const OpenedScan& scan);

}  // namespace mark6
