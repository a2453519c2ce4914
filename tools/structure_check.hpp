// SPDX-License-Identifier: MIT
// What the headers of a scan say about its structure, judged: every header of every fragment was
// walked (IndexBy::kWalk), and where a block stands twice the payloads were compared. No other
// payload is looked at.
#pragma once

#include <cstdint>
#include <stop_token>
#include <string>
#include <vector>

#include "tools/scan_report.hpp"

namespace mark6 {

/// Exit code of `mark6 check`: its lowest three bits are an exit code as all programs have it
/// (common/base/exit_code.hpp), those above tell what was found.
enum CheckBits : unsigned {
  kCheckFindings = 1,    ///< anything was found
  kCheckMissing = 8,     ///< blocks are missing
  kCheckAbsent = 16,     ///< a disk has no fragment, or a module is not in view
  kCheckStructure = 32,  ///< fragments are damaged or disagree, or blocks stand twice
  kCheckContent = 64,    ///< frames are missing, invalid or wrong (frame_check.hpp)
};

/// Whether the payloads of a block that stands twice agree.
enum class PayloadsAre { kEqual, kDifferent, kUnread };

struct DuplicateCheck {
  sg::Duplicate block;
  PayloadsAre payloads = PayloadsAre::kUnread;
};

/// A fragment whose header says something else than those of the majority.
struct HeaderDisagreement {
  FragmentIndex fragment;
  std::string field;  ///< "version", "block_size", "packet_size"
  std::int64_t value = 0;
  std::int64_t majority = 0;
};

/// How many of the scan's blocks a fragment has.
struct BlockShare {
  FragmentIndex fragment;
  double share = 0;  ///< of all blocks that are there, 0..1
  /// The recorder gave the disk far fewer blocks than its peers: it was slow then.
  bool slow_while_recording = false;
  std::string evidence;  ///< "was slow while recording: 60 blocks, the other 15 disks 118 each"
};

struct StructureCheck {
  ScanReport scan;  ///< fragments with their damage, missing ranges, what is absent
  std::vector<DuplicateCheck> duplicates;  ///< at most sg::kMaxDamage; scan.duplicate_count: all
  std::vector<HeaderDisagreement> disagreements;
  std::vector<BlockShare> shares;  ///< of the fragments that are used
  // Sums over the damage that is listed.
  std::uint64_t truncated_blocks = 0;
  std::uint64_t out_of_order_blocks = 0;
  std::uint64_t repaired_lengths = 0;    ///< blocks with a wrong wb_size, found nonetheless
  std::uint64_t resynchronisations = 0;  ///< stretches passed over to the next block header
  std::uint64_t lost_bytes = 0;          ///< bytes in these stretches

  /// CheckBits; 0 when nothing was found.
  [[nodiscard]] unsigned findings() const;
};

/// Judges `opened`, whose report is `report`; reads blocks that stand twice, until `stop`.
StructureCheck check_structure(const OpenedScan& opened, ScanReport report,
                               const std::stop_token& stop);

/// What was found, a line each, the way `mark6 list -l` words it; not escaped. Missing blocks and
/// slow disks are not among them.
std::vector<std::string> structure_findings(const StructureCheck& check);

/// "equal", "different", "unread".
std::string_view payloads_name(PayloadsAre payloads);

}  // namespace mark6
