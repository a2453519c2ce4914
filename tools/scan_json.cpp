// SPDX-License-Identifier: MIT
#include "tools/scan_json.hpp"

#include "common/base/escape.hpp"
#include "common/base/time_text.hpp"

namespace mark6 {
namespace {

using Json = ReportJson;

Json json_of(const sg::Damage& damage) {
  Json object;
  object["text"] = valid_utf8(describe(damage));
  object["offset"] = damage.offset.value;
  object["block"] = damage.block ? Json(damage.block->value) : Json(nullptr);
  object["bytes"] = damage.bytes;
  return object;
}

Json json_of(const FragmentReport& fragment) {
  Json object;
  object["path"] = valid_utf8(fragment.path);
  object["module"] = valid_utf8(fragment.module);
  object["disk"] = valid_utf8(fragment.disk);
  object["size_bytes"] = fragment.size_bytes;
  object["blocks"] = fragment.summary.blocks;
  object["payload_bytes"] = fragment.summary.payload_bytes;
  object["use"] = use_name(fragment.summary.use);
  object["symlink"] = fragment.is_symlink;
  object["damage_count"] = fragment.summary.damage_count;
  object["damage"] = Json::array();
  for (const sg::Damage& damage : fragment.summary.damage) {
    object["damage"].push_back(json_of(damage));
  }
  return object;
}

}  // namespace

ReportJson content_json(const vdif::Content& content) {
  const auto number = [](auto value) { return value == 0 ? Json(nullptr) : Json(value); };
  const bool is_vdif = content.kind == vdif::FrameKind::kVdif;
  Json object;
  object["format"] = vdif::kind_name(content.kind);
  for (const auto& [name, time] : {std::pair("start", content.start), {"stop", content.stop}}) {
    object[name] = time ? Json(vdif::iso_text(*time)) : Json(nullptr);
    object[name + std::string("_vlbi")] = time ? Json(vdif::vlbi_text(*time)) : Json(nullptr);
    object[name + std::string("_mjd")] = time ? Json(vdif::mjd(*time)) : Json(nullptr);
  }
  const auto duration = content.duration_s();
  object["duration_s"] = duration ? Json(*duration) : Json(nullptr);
  object["station"] =
      content.stations.empty() ? Json(nullptr) : Json(vdif::station_text(content.stations.front()));
  object["stations"] = Json::array();
  for (const auto station : content.stations) {
    object["stations"].push_back(vdif::station_text(station));
  }
  object["threads"] = content.threads;
  object["odd_time_threads"] = content.odd_time_threads;
  object["frame_bytes"] = number(content.format.frame_bytes);
  object["frames_per_second"] = number(content.frames_per_second);
  object["rate_from"] = vdif::rate_from_name(content.rate_from);
  object["channels"] = is_vdif ? Json(content.format.channels()) : Json(nullptr);
  object["bits_per_sample"] = is_vdif ? Json(content.format.bits_per_sample) : Json(nullptr);
  object["complex"] = is_vdif ? Json(content.format.complex) : Json(nullptr);
  object["edv"] = is_vdif ? Json(content.format.edv) : Json(nullptr);
  object["samples_per_second"] = number(content.samples_per_second());
  object["data_rate_bps"] = number(content.data_rate_bps());
  return object;
}

ReportJson scan_json(const ScanReport& report) {
  Json object;
  object["name"] = valid_utf8(report.name);
  object["size_bytes"] = report.size_bytes;
  object["start"] = report.start_unix_s ? Json(iso_time(*report.start_unix_s)) : Json(nullptr);
  object["packet_size"] = report.packet_size;
  object["mark5b"] = report.is_mark5b;
  if (report.content) object["content"] = content_json(*report.content);
  object["modules"] = texts_json(report.modules);
  object["state"] = sg::to_string(report.state);
  object["blocks"] = report.blocks;
  object["first_block"] = report.span ? Json(report.span->first.value) : Json(nullptr);
  object["last_block"] = report.span ? Json(report.span->last.value) : Json(nullptr);
  object["missing_blocks"] = report.missing_blocks;
  object["missing"] = Json::array();
  for (const sg::BlockRange& range : report.missing) {
    object["missing"].push_back({range.first.value, range.last.value});
  }
  object["duplicates"] = report.duplicate_count;
  object["absent_disks"] = texts_json(report.absent.disks);
  object["absent_modules"] = texts_json(report.absent.modules);
  object["problems"] = texts_json(report.open_problems);
  object["fragments"] = Json::array();
  for (const FragmentReport& fragment : report.fragments) {
    object["fragments"].push_back(json_of(fragment));
  }
  return object;
}

ReportJson texts_json(const std::vector<std::string>& lines) {
  ReportJson array = ReportJson::array();
  for (const std::string& line : lines) array.push_back(valid_utf8(line));
  return array;
}

}  // namespace mark6
