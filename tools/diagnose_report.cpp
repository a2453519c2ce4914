// SPDX-License-Identifier: MIT
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "common/account/verdict_words.hpp"
#include "common/base/escape.hpp"
#include "tools/diagnose_output.hpp"

namespace mark6 {
namespace {

using Row = std::vector<std::string>;

std::string mb_per_s(double bytes_per_s) {
  return bytes_per_s > 0 ? fmt::format("{:.1f}", 1e-6 * bytes_per_s) : "-";
}

std::string ms(double ns) { return fmt::format("{:.1f}", 1e-6 * ns); }

/// Verdict and how sure: "slow (very likely)".
std::string verdict_words(const DiskResult& result) {
  const DiskVerdict& verdict = result.verdict;
  std::string words(to_string(verdict.judgement));
  if (verdict.judgement == Judgement::kUnknown) return words + ": " + escaped(verdict.reason);
  if (verdict.judgement >= Judgement::kSuspect) {
    words += fmt::format(" ({})", confidence_words(verdict.confidence));
  }
  if (verdict.slow_while_recording) words += ", was slow while recording";
  return words;
}

Row row_of(const DiskUnderTest& disk, const DiskResult& result) {
  const auto& busiest = result.together ? result.together : result.alone;
  Row row{escaped(disk.label),
          escaped(disk.device.kernel_name.value_or("-")),
          escaped(disk.device.facts.model.value_or("-")),
          escaped(disk.device.facts.serial.value_or("-")),
          result.alone ? mb_per_s(result.alone_bytes_per_s) : "-",
          result.together ? mb_per_s(result.together_bytes_per_s) : "-"};
  if (busiest && busiest->requests > 0) {
    row.push_back(ms(busiest->service_ns()));
    row.push_back(ms(busiest->latency.quantile_ns(0.99)));
    row.push_back(ms(static_cast<double>(busiest->latency.max_ns())));
  } else {
    row.insert(row.end(), 3, "-");
  }
  row.push_back(disk.block_share ? fmt::format("{:.1f}", 100 * *disk.block_share) : "-");
  row.push_back(verdict_words(result));
  return row;
}

/// `rows` below each other, the first being the heads; columns in `left` are flush left.
std::string aligned(const std::vector<Row>& rows, const std::vector<std::size_t>& left) {
  std::vector<std::size_t> widths(rows.front().size(), 0);
  for (const Row& row : rows) {
    for (std::size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], row[i].size());
  }
  std::string text;
  for (const Row& row : rows) {
    std::string line;
    for (std::size_t i = 0; i < row.size(); ++i) {
      const bool flush_left = std::find(left.begin(), left.end(), i) != left.end();
      line += (i == 0 ? "" : "  ");
      line += flush_left ? fmt::format("{:<{}}", row[i], widths[i])
                         : fmt::format("{:>{}}", row[i], widths[i]);
    }
    line.resize(line.find_last_not_of(' ') + 1);
    text += line + "\n";
  }
  return text;
}

/// Columns of which nothing is known are not worth their place; the first and the last stay.
void drop_empty_columns(std::vector<Row>& rows, std::vector<std::size_t>& left) {
  for (std::size_t i = rows.front().size() - 1; i-- > 1;) {
    if (std::any_of(rows.begin() + 1, rows.end(), [i](const Row& row) { return row[i] != "-"; })) {
      continue;
    }
    for (Row& row : rows) row.erase(row.begin() + static_cast<std::ptrdiff_t>(i));
    std::erase(left, i);
    for (std::size_t& column : left) column -= column > i ? 1 : 0;
  }
}

std::string disk_table(const Diagnosis& diagnosis) {
  std::vector<Row> rows{{"DISK", "DEVICE", "MODEL", "SERIAL", "ALONE", "TOGETHER", "READ", "P99",
                         "MAX", "BLOCKS%", "VERDICT"}};
  for (std::size_t i = 0; i < diagnosis.disks.size(); ++i) {
    rows.push_back(row_of(diagnosis.disks[i], diagnosis.results[i]));
  }
  std::vector<std::size_t> left{0, 1, 2, 3, 10};
  drop_empty_columns(rows, left);
  return aligned(rows, left) +
         "(ALONE, TOGETHER: MB/s. READ: ms that a read of 1 MiB keeps the disk busy. P99, MAX: ms, "
         "with "
         "2 in flight)\n";
}

std::string scaling_table(const Diagnosis& diagnosis) {
  std::vector<Row> rows{{"DISKS", "MB/s", "SUM ALONE", "EFFICIENCY", "CPU s/GB", "MACHINE"}};
  for (const ScalingStep& step : diagnosis.scaling) {
    rows.push_back(
        {std::to_string(step.disks), mb_per_s(step.bytes_per_s), mb_per_s(step.alone_bytes_per_s),
         fmt::format("{:.0f} %", 100 * step.efficiency()), fmt::format("{:.3f}", step.cpu_s_per_gb),
         step.machine_busy ? fmt::format("{:.0f} % busy", 100 * *step.machine_busy) : "-"});
  }
  return aligned(rows, {});
}

std::string bottleneck_lines(const Diagnosis& diagnosis) {
  std::string text;
  for (const Bottleneck& shared : diagnosis.shared) {
    Row labels;
    for (const std::size_t disk : shared.group.disks) {
      labels.push_back(escaped(diagnosis.disks[disk].label));
    }
    text += fmt::format("shared: {} give {} together, no more: {}\n", fmt::join(labels, " "),
                        rate_text(shared.group.cap_bytes_per_s), shared.why);
  }
  if (diagnosis.shared.empty() && !diagnosis.out_of_time) text += "shared: nothing was found\n";
  if (diagnosis.out_of_time) {
    text += "shared: the time was too short to look everywhere; give more with --seconds\n";
  }
  return text;
}

/// What is wrong with each disk that is not fine, unless the summary has room for all of them.
std::string reasons(const Diagnosis& diagnosis) {
  constexpr std::size_t kInSummary = 2;
  std::string text;
  std::size_t own = 0, held = 0;
  for (std::size_t i = 0; i < diagnosis.disks.size(); ++i) {
    const DiskResult& result = diagnosis.results[i];
    if (result.verdict.judgement < Judgement::kSuspect) continue;
    ++(result.held_up_by_others ? held : own);
    text += fmt::format("{} is {}: {}\n", escaped(diagnosis.disks[i].label),
                        to_string(result.verdict.judgement), escaped(result.verdict.reason));
  }
  return own > kInSummary || held > 0 ? text : std::string();
}

}  // namespace

std::string diagnose_report(const Diagnosis& diagnosis) {
  std::string text;
  for (const std::string& line : summary_of(diagnosis)) text += line + "\n";
  text += "\n" + disk_table(diagnosis);
  if (diagnosis.scaling_asked && !diagnosis.scaling.empty()) {
    text += "\n" + scaling_table(diagnosis) + bottleneck_lines(diagnosis);
  }
  if (const std::string why = reasons(diagnosis); !why.empty()) text += "\n" + why;
  if (!diagnosis.notes.empty()) text += "\n";
  for (const std::string& note : diagnosis.notes) text += "note: " + note + "\n";
  return text;
}

}  // namespace mark6
