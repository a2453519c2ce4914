// SPDX-License-Identifier: MIT
// What is in the frames of a scan, in words: for `mark6 list -l` and the like. Pure.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "common/vdif/survey.hpp"

namespace mark6 {

/// Lines with times, stations, threads, frames and rate; one line when nothing is known.
void append_content(std::vector<std::string>& lines, const vdif::Content& content);

/// "0-3, 7": numbers that ascend, as ranges.
std::string ranges_text(const std::vector<std::uint16_t>& ascending);

/// "512 Mbit/s".
std::string bit_rate_text(std::uint64_t bits_per_second);

}  // namespace mark6
