// SPDX-License-Identifier: MIT
// Small files that others poll (statistics): whoever reads one sees the text of before or the new
// one, never half of it. Nothing but a file of the same kind is ever replaced.
#pragma once

#include <string>
#include <string_view>

#include "common/base/error.hpp"

namespace mark6 {

/// Whether `path` may be replaced by a text that begins with `mark`: it is not there, or a regular
/// file that begins with `mark`. (An empty one may be somebody's output that has just begun.)
/// Errors: kUsage (a directory, device or other file), kNotFound (no such directory), kIo.
Result<void> check_replaceable(const std::string& path, std::string_view mark);

/// Puts `text` at `path`: written to a file beside it, with mode 0644, which then takes the name.
/// A symbolic link stays, and what it points to is replaced. Nothing is flushed to the disk: after
/// a crash of the machine statistics are worth nothing. Errors: those of check_replaceable(),
/// kNoSpace.
Result<void> replace_file(const std::string& path, std::string_view text, std::string_view mark);

}  // namespace mark6
