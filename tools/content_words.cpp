// SPDX-License-Identifier: MIT
#include "tools/content_words.hpp"

#include <fmt/format.h>

#include "tools/text_table.hpp"

namespace mark6 {
namespace {

using vdif::Content;

std::string counted(std::uint64_t count, const char* what) {
  return fmt::format("{} {}{}", count, what, count == 1 ? "" : "s");
}

std::string times_line(const Content& content) {
  std::string line =
      fmt::format("from {} to {}", vdif::vlbi_text(*content.start), vdif::vlbi_text(*content.stop));
  const auto duration = content.duration_s();
  if (duration) line += fmt::format(", {:.10g} s", *duration);
  line +=
      fmt::format(", MJD {} to {}", vdif::mjd_text(*content.start), vdif::mjd_text(*content.stop));
  if (content.frames_per_second == 0) line += " (whole seconds: the frame rate is not known)";
  return line;
}

std::string stations_text(const Content& content) {
  std::vector<std::string> names;
  for (const std::uint16_t station : content.stations) {
    names.push_back(vdif::station_text(station));
  }
  return (names.size() == 1 ? "station " : "stations ") + joined(names, ", ");
}

std::string frames_line(const Content& content) {
  std::string line(vdif::kind_name(content.kind));
  if (content.kind == vdif::FrameKind::kVdif) {
    line += fmt::format(", {}, {} {}", stations_text(content),
                        content.threads.size() == 1 ? "thread" : "threads",
                        ranges_text(content.threads));
    line += fmt::format(", {}, {}, {}", counted(content.format.channels(), "channel"),
                        counted(content.format.bits_per_sample, "bit"),
                        content.format.complex ? "complex" : "real");
    if (content.format.legacy) line += ", legacy headers";
    if (content.format.edv != 0) {
      line +=
          fmt::format(", EDV {:#x} ({})", content.format.edv, vdif::edv_name(content.format.edv));
    }
  }
  return line;
}

std::string rate_line(const Content& content) {
  std::string line = fmt::format("frames of {} bytes", content.format.frame_bytes);
  if (content.frames_per_second == 0) return line + ", frame rate not known";
  line += fmt::format(", {} per second{} (known by {})", content.frames_per_second,
                      content.threads.size() > 1 ? " and thread" : "",
                      vdif::rate_from_name(content.rate_from));
  return line + ", " + bit_rate_text(content.data_rate_bps());
}

}  // namespace

void append_content(std::vector<std::string>& lines, const Content& content) {
  if (content.kind == vdif::FrameKind::kUnknown || !content.start || !content.stop) {
    lines.emplace_back("no valid frame where they were looked for: times are not known");
    return;
  }
  lines.push_back(times_line(content));
  lines.push_back(frames_line(content));
  lines.push_back(rate_line(content));
  if (!content.odd_time_threads.empty()) {
    lines.push_back(fmt::format("times of threads {} disagree with those of the others",
                                ranges_text(content.odd_time_threads)));
  }
}

std::string ranges_text(const std::vector<std::uint16_t>& ascending) {
  std::vector<std::string> ranges;
  for (std::size_t i = 0; i < ascending.size();) {
    std::size_t last = i;
    while (last + 1 < ascending.size() && ascending[last + 1] == ascending[last] + 1) ++last;
    ranges.push_back(i == last ? std::to_string(ascending[i])
                               : fmt::format("{}-{}", ascending[i], ascending[last]));
    i = last + 1;
  }
  return joined(ranges, ", ");
}

std::string bit_rate_text(std::uint64_t bits_per_second) {
  const auto rate = static_cast<double>(bits_per_second);
  if (rate >= 1e9) return fmt::format("{:.5g} Gbit/s", rate / 1e9);
  if (rate >= 1e6) return fmt::format("{:.5g} Mbit/s", rate / 1e6);
  return fmt::format("{:.5g} kbit/s", rate / 1e3);
}

}  // namespace mark6
