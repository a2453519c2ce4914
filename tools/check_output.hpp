// SPDX-License-Identifier: MIT
// What `mark6 check` found out of a scan, and the two forms in which it says so. Pure.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "tools/frame_check.hpp"
#include "tools/structure_check.hpp"

namespace mark6 {

/// All that was checked of one scan.
struct ScanCheck {
  StructureCheck structure;
  std::optional<FrameCheck> frames;  ///< where it was asked for

  /// CheckBits of all checks; 0 when nothing was found.
  [[nodiscard]] unsigned findings() const {
    return structure.findings() | (frames ? frames->findings() : 0);
  }
};

/// Per scan a heading, a line per disk, and the findings. Names are escaped.
std::string check_table(const std::vector<ScanCheck>& checks);

/// One JSON object of schema mark6.check/1 (docs/reference/mark6-check.md) and a newline; valid
/// UTF-8 whatever the names are. `problems` are lines about directories that could not be read.
std::string check_json(const std::vector<ScanCheck>& checks,
                       const std::vector<std::string>& problems);

}  // namespace mark6
