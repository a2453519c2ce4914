// SPDX-License-Identifier: MIT
// How the figures of a verdict are written: short, with a unit, two or three digits.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

namespace mark6 {

/// "41 ms", "9.8 ms", "0.42 ms", "1.2 s" from ns.
std::string milliseconds(double ns);

/// "15 MB/s", "7.5 MB/s" from bytes per second.
std::string rate_text(double bytes_per_s);

/// "4.2 x".
std::string times_text(double times);

/// "15 disks", "disk": behind "the other".
std::string disks_text(std::size_t disks);

}  // namespace mark6
