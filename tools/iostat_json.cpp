// SPDX-License-Identifier: MIT
#include <nlohmann/json.hpp>

#include "common/base/escape.hpp"
#include "tools/iostat_output.hpp"

namespace mark6 {
namespace {

using Json = nlohmann::ordered_json;

Json text_or_null(const std::optional<std::string>& text) {
  return text ? Json(valid_utf8(*text)) : Json(nullptr);
}

Json text_or_null(const std::string& text) {
  return text.empty() ? Json(nullptr) : Json(valid_utf8(text));
}

const char* kind_word(ReportKind kind) {
  switch (kind) {
    case ReportKind::kSinceBoot:
      return "since_boot";
    case ReportKind::kAverage:
      return "average";
    case ReportKind::kInterval:
      break;
  }
  return "interval";
}

const char* judge_word(VerdictBy by) {
  switch (by) {
    case VerdictBy::kProgram:
      return "program";
    case VerdictBy::kKernel:
      return "kernel";
    case VerdictBy::kNobody:
      break;
  }
  return "nobody";
}

/// Under the names of `iostat -x`.
Json json_of(const std::optional<KernelActivity>& kernel) {
  if (!kernel) return nullptr;
  Json object;
  for (const IostatColumn& column : iostat_columns()) {
    object[std::string(column.name)] = column.value(*kernel);
  }
  return object;
}

Json json_of(const std::optional<OurActivity>& ours) {
  if (!ours) return nullptr;
  return {{"bytes_per_s", ours->bytes_per_s},
          {"requests_per_s", ours->requests_per_s},
          {"p99_s", ours->p99_s},
          {"stall_share", ours->stall_share},
          {"errors", ours->errors}};
}

Json json_of(const IostatRow& row) {
  Json object;
  object["module"] = valid_utf8(row.disk.module);
  object["disk"] = valid_utf8(row.disk.disk);
  object["kernel_name"] = text_or_null(row.disk.identity.kernel_name);
  object["serial"] = text_or_null(row.disk.identity.facts.serial);
  object["model"] = text_or_null(row.disk.identity.facts.model);
  object["shared_with"] = Json::array();
  for (const std::string& label : row.shared_with) {
    object["shared_with"].push_back(valid_utf8(label));
  }
  object["kernel"] = json_of(row.kernel);
  object["ours"] = json_of(row.ours);
  object["verdict"] = to_string(row.verdict.judgement);
  object["verdict_by"] = judge_word(row.verdict_by);
  object["reason"] = valid_utf8(row.verdict.reason);
  object["confidence"] = row.verdict.confidence;
  object["times_slower"] = row.verdict.times_slower;
  object["slow_while_recording"] = row.verdict.slow_while_recording;
  object["recording"] = valid_utf8(row.verdict.recording);
  object["blocks"] = row.blocks ? Json(*row.blocks) : Json(nullptr);
  object["block_share"] = row.block_share ? Json(*row.block_share) : Json(nullptr);
  return object;
}

Json json_of(const IostatProgram& program) {
  Json object;
  object["program"] = valid_utf8(program.program);
  object["pid"] = program.pid;
  object["target"] = valid_utf8(program.target);
  object["bytes_per_s"] = program.bytes_per_s;
  object["limits"] = Json::array();
  for (const std::string& limit : program.limits) object["limits"].push_back(valid_utf8(limit));
  return object;
}

}  // namespace

std::string iostat_json(const IostatReport& report) {
  Json object;
  object["schema"] = "mark6.iostat/1";
  object["report"] = kind_word(report.kind);
  object["time"] = report.time_s;
  object["seconds"] = report.seconds;
  object["programs"] = Json::array();
  object["devices"] = Json::array();
  object["modules"] = Json::array();
  for (const IostatProgram& program : report.programs) {
    object["programs"].push_back(json_of(program));
  }
  for (const IostatModule& module : report.modules) {
    for (const IostatRow& row : module.rows) object["devices"].push_back(json_of(row));
    object["modules"].push_back({{"module", valid_utf8(module.module)},
                                 {"msn", text_or_null(module.msn)},
                                 {"kernel", json_of(module.total.kernel)},
                                 {"ours", json_of(module.total.ours)}});
  }
  object["total"] = {{"kernel", json_of(report.total.kernel)},
                     {"ours", json_of(report.total.ours)}};
  return object.dump() + "\n";
}

}  // namespace mark6
