// SPDX-License-Identifier: MIT
// A ScanReport as JSON, as `mark6 list` and `mark6 check` both give it. Pure.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "tools/scan_report.hpp"

namespace mark6 {

using ReportJson = nlohmann::ordered_json;

/// The object of one scan (docs/reference/mark6-list.md); valid UTF-8 whatever the names are.
ReportJson scan_json(const ScanReport& report);

/// What is in its frames, as an object of its own.
ReportJson content_json(const vdif::Content& content);

/// An array of lines.
ReportJson texts_json(const std::vector<std::string>& lines);

}  // namespace mark6
