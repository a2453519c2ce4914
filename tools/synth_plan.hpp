// SPDX-License-Identifier: MIT
// The recording on paper: which frames each block holds and on which disk it lies, before a byte is
// written. It depends on the options only, and says beforehand what cannot be made.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "common/base/error.hpp"
#include "common/sg/format.hpp"
#include "tools/synth_options.hpp"

namespace mark6::synth {

/// A block of the recording; its number is its place in SynthPlan::blocks.
struct PlannedBlock {
  std::uint64_t first_frame = 0;
  std::uint32_t frames = 0;
  std::uint16_t disk = 0;  ///< place in SynthPlan::disks
  bool missing = false;    ///< never written, or its disk is not there
};

struct PlannedDisk {
  DiskLabel label;
  bool missing = false;
  std::uint64_t blocks = 0;      ///< blocks written to it
  std::uint64_t file_bytes = 0;  ///< of its fragment, headers included
};

struct SynthPlan {
  sg::FileHeader header;  ///< of every fragment
  std::vector<PlannedBlock> blocks;
  std::vector<PlannedDisk> disks;
  std::uint64_t flat_bytes = 0;  ///< of the flat stream, missing blocks skipped
  FaultPlan faults;
  std::uint64_t frames = 0;  ///< of the scan as it was received, missing blocks included

  [[nodiscard]] std::uint64_t payload_bytes(const PlannedBlock& block) const {
    return std::uint64_t{block.frames} * static_cast<std::uint32_t>(header.packet_size);
  }
  /// Blocks that are written.
  [[nodiscard]] std::uint64_t blocks_present() const;
  /// First and last block that is written; there is at least one.
  [[nodiscard]] std::pair<std::uint64_t, std::uint64_t> first_and_last() const;
  /// Runs of missing blocks between those two, first and last number of each.
  [[nodiscard]] std::vector<std::pair<std::uint64_t, std::uint64_t>> missing_ranges() const;
  /// Where the frame at `position`, as received, begins in the flat stream; nothing where its block
  /// is missing.
  [[nodiscard]] std::optional<std::uint64_t> flat_offset(std::uint64_t position) const;
};

/// Errors: kUsage, naming the option (a block too small for a packet, a disk that does not exist,
/// a short block that version 1 cannot express, nothing left to write ...).
Result<SynthPlan> make_plan(const SynthOptions& options);

}  // namespace mark6::synth
