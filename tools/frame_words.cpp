// SPDX-License-Identifier: MIT
#include "tools/frame_words.hpp"

#include <fmt/format.h>

#include "common/base/units.hpp"
#include "tools/content_words.hpp"
#include "tools/text_table.hpp"

namespace mark6 {
namespace {

using vdif::StreamReport;
using vdif::ThreadCheck;

/// Threads that the table shows; corrupted recordings have thousands.
constexpr std::size_t kMaxRows = 64;

std::string share_text(std::uint64_t part, std::uint64_t whole) {
  if (whole == 0) return "-";
  return fmt::format("{:.1f}", 100 * static_cast<double>(part) / static_cast<double>(whole));
}

/// "17.1 32.9 33.0 17.0", or "-" for samples whose states are not counted.
std::string states_text(const ThreadCheck& thread) {
  if (thread.states.frames == 0) return "-";
  std::vector<std::string> shares;
  const std::size_t states = thread.bits_per_sample == 1 ? 2 : 4;
  for (std::size_t i = 0; i < states; ++i) {
    shares.push_back(share_text(thread.states.counts[i], thread.states.total()));
  }
  return joined(shares, " ");
}

TextRow row_of(const ThreadCheck& thread) {
  const std::string asymmetry =
      thread.states.frames == 0
          ? "-"
          : fmt::format("{:+.2f}", 100 * thread.states.asymmetry(thread.bits_per_sample));
  return {std::to_string(thread.thread),
          vdif::station_text(thread.station),
          std::to_string(thread.frames),
          std::to_string(thread.order.missing),
          std::to_string(thread.order.duplicates),
          std::to_string(thread.order.out_of_order),
          std::to_string(thread.invalid),
          std::to_string(thread.order.jumps),
          states_text(thread),
          asymmetry};
}

std::string counted(std::uint64_t count, const char* what) {
  return fmt::format("{} {}{}", count, what, count == 1 ? "" : "s");
}

/// What of the scan these counts are about.
std::string extent_line(const FrameCheck& check) {
  std::string line = fmt::format("frames: {} looked at in {}", check.report.packets,
                                 format_bytes(check.looked_at_bytes));
  if (check.is_full()) return line + ", all there are";
  const std::uint64_t rest = check.scan_bytes - check.looked_at_bytes - check.unread_bytes;
  return line + fmt::format(" at {}; {} ({} %) not looked at: --full looks at all",
                            counted(check.stretches, "place"), format_bytes(rest),
                            share_text(rest, check.scan_bytes));
}

std::string jump_text(const ThreadCheck& thread, std::uint32_t rate) {
  const std::int64_t frames = thread.order.first_jump_frames;
  if (rate == 0) return "";
  return fmt::format(", the first by {:+.10g} s",
                     static_cast<double>(frames) / static_cast<double>(rate));
}

void append_thread(std::vector<std::string>& lines, const ThreadCheck& thread, std::uint32_t rate) {
  std::vector<std::string> parts;
  const auto add = [&parts](std::uint64_t count, const char* what) {
    if (count > 0) parts.push_back(fmt::format("{} {}", count, what));
  };
  const vdif::OrderCounts& order = thread.order;
  add(order.missing, "missing");
  add(order.duplicates, "a second time");
  add(order.out_of_order, "out of order");
  add(thread.invalid, "invalid");
  add(thread.wrong_lengths, "with a wrong length");
  add(order.wrong_times, "with a wrong time");
  if (order.jumps > 0) {
    parts.push_back(counted(order.jumps, "time jump") + jump_text(thread, rate));
  }
  if (thread.station_changes > 0)
    parts.push_back(counted(thread.station_changes, "station change"));
  if (thread.epoch_changes > 0) parts.push_back(counted(thread.epoch_changes, "epoch change"));
  if (thread.starts_late > 0) {
    parts.push_back(counted(thread.starts_late, "frame") + " later than the others");
  }
  if (thread.ends_early > 0) {
    parts.push_back("ends " + counted(thread.ends_early, "frame") + " before the others");
  }
  if (parts.empty()) return;
  lines.push_back(fmt::format("thread {} ({}): {}", thread.thread,
                              vdif::station_text(thread.station), joined(parts, ", ")));
}

}  // namespace

std::vector<std::string> frame_findings(const FrameCheck& check) {
  std::vector<std::string> lines;
  if (check.content.kind == vdif::FrameKind::kUnknown && check.scan_bytes > 0) {
    lines.emplace_back("no valid frame where they were looked for: frames are not checked");
  }
  const StreamReport& report = check.report;
  const auto add = [&lines](std::uint64_t count, const char* what) {
    if (count > 0) lines.push_back(fmt::format("{} {}", count, what));
  };
  add(report.fill_packets, "fill packets: the recorder had received nothing there");
  add(report.pattern_packets, "packets of 0x11223344 throughout");
  add(report.invalid, "invalid frames");
  add(report.wrong_lengths, "frames with a wrong length");
  add(report.not_frames, "packets that are no frames");
  add(report.blocks_without_frame, "blocks that do not begin with a frame");
  add(report.ragged_blocks, "blocks that end within a packet");
  for (const ThreadCheck& thread : report.threads) {
    append_thread(lines, thread, check.content.frames_per_second);
  }
  add(check.unread_bytes, "bytes could not be read");
  lines.insert(lines.end(), check.problems.begin(), check.problems.end());
  return lines;
}

std::vector<std::string> frame_lines(const FrameCheck& check) {
  std::vector<std::string> lines;
  append_content(lines, check.content);
  lines.push_back(extent_line(check));
  std::vector<TextRow> rows{{"THREAD", "STATION", "FRAMES", "MISSING", "TWICE", "LATE", "INVALID",
                             "JUMPS", "STATES %", "ASYMMETRY %"}};
  std::uint64_t in_lost_blocks = 0;
  for (const ThreadCheck& thread : check.report.threads) {
    if (rows.size() <= kMaxRows) rows.push_back(row_of(thread));
    in_lost_blocks += thread.order.in_lost_blocks;
  }
  if (rows.size() > 1) {
    for (std::string line :
         aligned(rows, {true, false, true, true, true, true, true, true, false, true})) {
      line.pop_back();  // the newline
      lines.push_back(std::move(line));
    }
  }
  if (check.report.threads.size() > kMaxRows) {
    lines.push_back(fmt::format("and {} more threads", check.report.threads.size() - kMaxRows));
  }
  if (in_lost_blocks > 0) {
    lines.push_back(counted(in_lost_blocks, "frame") + " in the missing blocks");
  }
  append_capped(lines, frame_findings(check), frame_findings(check).size(), "frames: ");
  return lines;
}

}  // namespace mark6
