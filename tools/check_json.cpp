// SPDX-License-Identifier: MIT
#include "common/base/escape.hpp"
#include "tools/check_output.hpp"
#include "tools/frame_words.hpp"
#include "tools/scan_json.hpp"

namespace mark6 {
namespace {

ReportJson json_of(const StructureCheck& check, const DuplicateCheck& twice) {
  const auto place = [&check](FragmentIndex fragment, FileOffset at, std::uint32_t bytes) {
    ReportJson object;
    object["path"] = valid_utf8(check.scan.fragments[fragment.value].path);
    object["offset"] = at.value;
    object["bytes"] = bytes;
    return object;
  };
  const sg::Duplicate& block = twice.block;
  ReportJson object;
  object["block"] = block.number.value;
  object["payloads"] = payloads_name(twice.payloads);
  object["kept"] = place(block.kept, block.kept_at, block.kept_bytes);
  object["dropped"] = place(block.dropped, block.dropped_at, block.dropped_bytes);
  return object;
}

ReportJson json_of(const StructureCheck& check, const HeaderDisagreement& one) {
  ReportJson object;
  object["path"] = valid_utf8(check.scan.fragments[one.fragment.value].path);
  object["field"] = one.field;
  object["value"] = one.value;
  object["majority"] = one.majority;
  return object;
}

ReportJson json_of(const StructureCheck& check, const BlockShare& share) {
  const FragmentReport& fragment = check.scan.fragments[share.fragment.value];
  ReportJson object;
  object["disk"] = valid_utf8(fragment.label);
  object["blocks"] = fragment.summary.blocks;
  object["share"] = share.share;
  object["slow_while_recording"] = share.slow_while_recording;
  object["evidence"] = share.evidence;
  return object;
}

ReportJson json_of(const StructureCheck& check) {
  ReportJson object;
  const auto list = [&check](const auto& values) {
    ReportJson array = ReportJson::array();
    for (const auto& value : values) array.push_back(json_of(check, value));
    return array;
  };
  object["truncated_blocks"] = check.truncated_blocks;
  object["out_of_order_blocks"] = check.out_of_order_blocks;
  object["repaired_lengths"] = check.repaired_lengths;
  object["resynchronisations"] = check.resynchronisations;
  object["lost_bytes"] = check.lost_bytes;
  object["duplicates"] = list(check.duplicates);
  object["header_disagreements"] = list(check.disagreements);
  object["shares"] = list(check.shares);
  return object;
}

ReportJson json_of(const ScanCheck& check) {
  ReportJson object = scan_json(check.structure.scan);
  object["exit_bits"] = check.findings();
  object["findings"] = texts_json(structure_findings(check.structure));
  object["structure"] = json_of(check.structure);
  if (check.frames) object["frames"] = frames_json(*check.frames);
  return object;
}

}  // namespace

std::string check_json(const std::vector<ScanCheck>& checks,
                       const std::vector<std::string>& problems) {
  ReportJson answer;
  answer["schema"] = "mark6.check/1";
  answer["scans"] = ReportJson::array();
  for (const ScanCheck& check : checks) answer["scans"].push_back(json_of(check));
  answer["problems"] = texts_json(problems);
  return answer.dump() + "\n";
}

}  // namespace mark6
