// SPDX-License-Identifier: MIT
#include <algorithm>

#include "common/base/escape.hpp"
#include "tools/frame_words.hpp"
#include "tools/scan_json.hpp"

namespace mark6 {
namespace {

using Json = nlohmann::ordered_json;

Json json_of(const vdif::ThreadCheck& thread) {
  Json object;
  object["thread"] = thread.thread;
  object["station"] = vdif::station_text(thread.station);
  object["frames"] = thread.frames;
  object["missing"] = thread.order.missing;
  object["in_missing_blocks"] = thread.order.in_lost_blocks;
  object["duplicates"] = thread.order.duplicates;
  object["out_of_order"] = thread.order.out_of_order;
  object["invalid"] = thread.invalid;
  object["wrong_lengths"] = thread.wrong_lengths;
  object["wrong_times"] = thread.order.wrong_times;
  object["time_jumps"] = thread.order.jumps;
  object["first_jump_frames"] = thread.order.first_jump_frames;
  object["station_changes"] = thread.station_changes;
  object["epoch_changes"] = thread.epoch_changes;
  object["starts_late_frames"] = thread.starts_late;
  object["ends_early_frames"] = thread.ends_early;
  object["odd_time"] = thread.odd_time;
  const bool has_states = thread.states.frames > 0;
  object["states"] = has_states ? Json(thread.states.counts) : Json(nullptr);
  object["states_frames"] = thread.states.frames;
  object["asymmetry"] =
      has_states ? Json(thread.states.asymmetry(thread.bits_per_sample)) : Json(nullptr);
  return object;
}

}  // namespace

Json frames_json(const FrameCheck& check) {
  const vdif::StreamReport& report = check.report;
  Json object;
  object["full"] = check.is_full();
  object["looked_at_bytes"] = check.looked_at_bytes;
  object["not_looked_at_bytes"] =
      check.scan_bytes - std::min(check.scan_bytes, check.looked_at_bytes);
  object["unread_bytes"] = check.unread_bytes;
  object["stretches"] = check.stretches;
  object["content"] = content_json(check.content);
  object["packets"] = report.packets;
  object["frames"] = report.frames;
  object["invalid"] = report.invalid;
  object["wrong_lengths"] = report.wrong_lengths;
  object["fill_packets"] = report.fill_packets;
  object["pattern_packets"] = report.pattern_packets;
  object["not_frames"] = report.not_frames;
  object["blocks"] = report.blocks;
  object["blocks_without_frame"] = report.blocks_without_frame;
  object["ragged_blocks"] = report.ragged_blocks;
  std::uint64_t missing = 0;
  object["missing"] = 0;
  object["threads"] = Json::array();
  for (const vdif::ThreadCheck& thread : report.threads) {
    missing += thread.order.missing;
    object["threads"].push_back(json_of(thread));
  }
  object["missing"] = missing;
  object["findings"] = texts_json(frame_findings(check));
  return object;
}

}  // namespace mark6
