// SPDX-License-Identifier: MIT
#include "tools/list_output.hpp"
#include "tools/scan_json.hpp"

namespace mark6 {

std::string list_json(const std::vector<ScanReport>& reports,
                      const std::vector<std::string>& problems) {
  ReportJson answer;
  answer["schema"] = "mark6.list/1";
  answer["scans"] = ReportJson::array();
  for (const ScanReport& report : reports) answer["scans"].push_back(scan_json(report));
  answer["problems"] = texts_json(problems);
  return answer.dump() + "\n";
}

}  // namespace mark6
