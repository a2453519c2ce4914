// SPDX-License-Identifier: MIT
// The two forms of the answer of `mark6 list`: a table for people, JSON for programs. Pure.
#pragma once

#include <string>
#include <vector>

#include "tools/scan_report.hpp"

namespace mark6 {

/// The table, a line per scan; with `details`, what is missing and damaged below each of them.
/// Names are escaped.
std::string list_table(const std::vector<ScanReport>& reports, bool details);

/// One JSON object of schema mark6.list/1 (docs/reference/mark6-list.md) and a newline; valid UTF-8
/// whatever the names are. `problems` are lines about directories that could not be read.
std::string list_json(const std::vector<ScanReport>& reports,
                      const std::vector<std::string>& problems);

}  // namespace mark6
