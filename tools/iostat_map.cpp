// SPDX-License-Identifier: MIT
// The module map: which device is which disk of which module, and which of them are slow.
#include <fmt/format.h>

#include <algorithm>

#include "common/base/escape.hpp"
#include "tools/iostat_output.hpp"

namespace mark6 {
namespace {

/// "r" for sdr, where such names are meant; others as they are.
std::string short_name(const IostatRow& row) {
  const std::string device = row.device();
  const bool is_letter =
      device.size() > 2 && device.starts_with("sd") &&
      std::all_of(device.begin() + 2, device.end(), [](char c) { return c >= 'a' && c <= 'z'; });
  return is_letter ? device.substr(2) : escaped(device);
}

std::string marked(const IostatRow& row, const IostatView& view) {
  const std::string name = short_name(row) + (row.shared_with.empty() ? "" : "*");
  const Judgement judgement = row.verdict.judgement;
  switch (judgement) {
    case Judgement::kSlow:
      return coloured("[" + name + "]", judgement, view);
    case Judgement::kSuspect:
      return coloured("(" + name + ")", judgement, view);
    case Judgement::kFine:
    case Judgement::kUnknown:
      break;
  }
  return coloured(name, judgement, view);
}

std::size_t count_of(const IostatReport& report, Judgement judgement) {
  std::size_t count = 0;
  for (const IostatModule& module : report.modules) {
    count += static_cast<std::size_t>(
        std::count_if(module.rows.begin(), module.rows.end(),
                      [judgement](const auto& row) { return row.verdict.judgement == judgement; }));
  }
  return count;
}

}  // namespace

std::string iostat_map(const IostatReport& report, const IostatView& view) {
  std::string text = report_heading(report);
  for (const IostatModule& module : report.modules) {
    std::vector<std::string> names;
    for (const IostatRow& row : module.rows) names.push_back(marked(row, view));
    const std::string label = module.module.empty() ? "No module" : "Module " + module.module;
    text += fmt::format("{}: {}\n", escaped(label), fmt::join(names, " "));
  }
  text += fmt::format("{} [slow], {} (suspect), {} fine, {} not known\n",
                      count_of(report, Judgement::kSlow), count_of(report, Judgement::kSuspect),
                      count_of(report, Judgement::kFine), count_of(report, Judgement::kUnknown));
  return text + report_reasons(report, view) + "\n";
}

}  // namespace mark6
