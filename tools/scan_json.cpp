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

ReportJson scan_json(const ScanReport& report) {
  Json object;
  object["name"] = valid_utf8(report.name);
  object["size_bytes"] = report.size_bytes;
  object["start"] = report.start_unix_s ? Json(iso_time(*report.start_unix_s)) : Json(nullptr);
  object["packet_size"] = report.packet_size;
  object["mark5b"] = report.is_mark5b;
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
