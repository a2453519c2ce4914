// SPDX-License-Identifier: MIT
// What a check of frames found, in words and as JSON. Pure.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "tools/frame_check.hpp"

namespace mark6 {

/// What was looked at and what not, a table with a line per thread, and the findings.
std::vector<std::string> frame_lines(const FrameCheck& check);

/// What was found, a line each; empty when nothing was.
std::vector<std::string> frame_findings(const FrameCheck& check);

/// The object `frames` of docs/reference/mark6-check.md.
nlohmann::ordered_json frames_json(const FrameCheck& check);

}  // namespace mark6
