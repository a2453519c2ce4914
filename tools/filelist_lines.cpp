// SPDX-License-Identifier: MIT
#include "tools/filelist_lines.hpp"

#include <fmt/format.h>

#include "common/base/time_text.hpp"
#include "common/vdif/time.hpp"

namespace mark6 {

std::optional<FilelistFormat> filelist_format(std::string_view name) {
  if (name == "vsum") return FilelistFormat::kVsum;
  if (name == "mk6dir") return FilelistFormat::kMk6dir;
  if (name == "vdifuse") return FilelistFormat::kVdifuse;
  if (name == "plain") return FilelistFormat::kPlain;
  return std::nullopt;
}

std::optional<std::string> filelist_line(FilelistFormat format, const std::string& path,
                                         std::uint64_t size_bytes, const vdif::Content& content) {
  if (format == FilelistFormat::kPlain) return path;
  if (!content.start || !content.stop) return std::nullopt;
  const vdif::Time start{content.start->unix_s, 0};
  const vdif::Time stop{content.stop->unix_s + (content.stop->nanoseconds > 0 ? 1 : 0), 0};
  if (format == FilelistFormat::kVdifuse) {
    return fmt::format("{} {} {}", path, vlbi_time(start.unix_s), vlbi_time(stop.unix_s));
  }
  std::string line = fmt::format("{} {:14.8f} {:14.8f}", path, vdif::mjd(start), vdif::mjd(stop));
  if (format == FilelistFormat::kMk6dir) line += fmt::format(" {}", size_bytes);
  return line;
}

}  // namespace mark6
