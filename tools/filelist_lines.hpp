// SPDX-License-Identifier: MIT
// Lines of the file lists that vex2difx reads, in the form in which the tools of DiFX print them
// for the flat file. Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "common/vdif/survey.hpp"

namespace mark6 {

enum class FilelistFormat {
  kVsum,     ///< "PATH MJDSTART MJDSTOP", as `vsum -s`
  kMk6dir,   ///< the same and the size in bytes, as mk6dir
  kVdifuse,  ///< "PATH START STOP" in the form of VEX, as `vdifuse -m`
  kPlain,    ///< "PATH"
};

/// By its name on the command line: "vsum", "mk6dir", "vdifuse", "plain".
std::optional<FilelistFormat> filelist_format(std::string_view name);

/// The line of one scan, without a newline; nothing when the format wants times and `content` has
/// none. Times are whole seconds, as those of the other tools: that of the first frame, and the one
/// behind that of the last frame.
std::optional<std::string> filelist_line(FilelistFormat format, const std::string& path,
                                         std::uint64_t size_bytes, const vdif::Content& content);

}  // namespace mark6
