// SPDX-License-Identifier: MIT
// Names on disks are bytes, not text: they may hold newlines, terminal escapes or invalid UTF-8.
// Whatever is printed goes through here first.
#pragma once

#include <string>
#include <string_view>

namespace mark6 {

/// `text` safe to print on a terminal: control characters (C0, DEL, C1) and bytes that are not
/// valid UTF-8 become \xNN, a backslash becomes \\; everything else is left as it is.
std::string escaped(std::string_view text);

/// `text` as valid UTF-8 for JSON: bytes that are not valid UTF-8 become U+FFFD. Control characters
/// are left to the JSON writer, which escapes them.
std::string valid_utf8(std::string_view text);

}  // namespace mark6
