// SPDX-License-Identifier: MIT
// The table. Columns of the kernel have iostat's names, definitions and two decimals, so that they
// can be compared and found in iostat(1); ours are to the right of them.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <functional>

#include "common/base/escape.hpp"
#include "tools/iostat_output.hpp"

namespace mark6 {
namespace {

constexpr std::array<std::string_view, 6> kNarrow{"r/s",      "rkB/s",  "r_await",
                                                  "rareq-sz", "aqu-sz", "%util"};
constexpr const char* kNoValue = "-";
constexpr double kKbPerMb = 1024;

/// What a line shows numbers of: a disk, a module, or all.
struct Figures {
  const std::optional<KernelActivity>& kernel;
  const std::optional<OurActivity>& ours;
  std::optional<double> block_share;
};

struct Column {
  std::string name;
  std::size_t width;  ///< at least; of the text, the gap before it not counted
  std::function<std::string(const Figures&)> text;
};

std::string decimals(double value) { return fmt::format("{:.2f}", value); }

Column kernel_column(const IostatColumn& column, const IostatView& view) {
  std::string name(column.name);
  double unit = 1;
  const std::size_t place = name.find("kB/s");
  if (place != std::string::npos && !view.kilobytes) {
    name[place] = 'M';
    unit = kKbPerMb;
  }
  const std::size_t width = std::max<std::size_t>(name.size(), 7);
  return {name, width, [value = column.value, unit](const Figures& figures) {
            return figures.kernel ? decimals(value(*figures.kernel) / unit) : kNoValue;
          }};
}

Column our_column(std::string name, double (*value)(const OurActivity&), double unit) {
  return {std::move(name), 7, [value, unit](const Figures& figures) {
            return figures.ours ? decimals(value(*figures.ours) * unit) : kNoValue;
          }};
}

std::vector<Column> columns_of(const IostatView& view) {
  std::vector<Column> columns;
  for (const IostatColumn& column : iostat_columns()) {
    const bool narrow = std::find(kNarrow.begin(), kNarrow.end(), column.name) != kNarrow.end();
    if (view.extended || narrow) columns.push_back(kernel_column(column, view));
  }
  const auto rate = [](const OurActivity& ours) { return ours.bytes_per_s; };
  const double kb = 1.0 / 1024;
  if (view.extended) {
    columns.push_back(our_column(
        "our_r/s", [](const OurActivity& ours) { return ours.requests_per_s; }, 1));
  }
  columns.push_back(
      our_column(view.kilobytes ? "ourkB/s" : "ourMB/s", rate, view.kilobytes ? kb : kb / 1024));
  columns.push_back(our_column(
      "p99_ms", [](const OurActivity& ours) { return ours.p99_s; }, 1000));
  columns.push_back(our_column(
      "%stall", [](const OurActivity& ours) { return ours.stall_share; }, 100));
  if (view.extended) {
    columns.push_back({"%blocks", 7, [](const Figures& figures) {
                         return figures.block_share ? decimals(100 * *figures.block_share)
                                                    : kNoValue;
                       }});
  }
  return columns;
}

/// A verdict by the kernel's figures alone stands in parentheses; what is not known is no word.
std::string verdict_cell(const IostatRow& row, const IostatView& view) {
  const Judgement judgement = row.verdict.judgement;
  if (judgement == Judgement::kUnknown) return kNoValue;
  std::string word(to_string(judgement));
  if (row.verdict_by == VerdictBy::kKernel) word = "(" + word + ")";
  return coloured(word, judgement, view);
}

std::string device_cell(const IostatRow& row) {
  return escaped(row.device()) + (row.shared_with.empty() ? "" : "*");
}

std::string total_label(const IostatModule& module) {
  return module.module.empty() ? "no module" : "module " + escaped(module.module);
}

class Table {
 public:
  Table(const IostatReport& report, const IostatView& view)
      : view_(view), columns_(columns_of(view)) {
    for (const IostatModule& module : report.modules) {
      label_width_ = std::max(label_width_, total_label(module).size());
      for (const IostatRow& row : module.rows) {
        label_width_ = std::max(label_width_, escaped(row.disk.label()).size());
        device_width_ = std::max(device_width_, device_cell(row).size());
      }
    }
  }

  [[nodiscard]] std::string header() const {
    std::string text = names("DISK", "DEVICE");
    for (const Column& column : columns_) text += fmt::format(" {:>{}}", column.name, column.width);
    return text + "  verdict\n";
  }
  [[nodiscard]] std::string row(const IostatRow& row) const {
    return names(escaped(row.disk.label()), device_cell(row)) +
           numbers({row.kernel, row.ours, row.block_share}) + "  " + verdict_cell(row, view_) +
           "\n";
  }
  [[nodiscard]] std::string total(const std::string& label, const IostatTotal& total) const {
    return names(label, "") + numbers({total.kernel, total.ours, {}}) + "\n";
  }

 private:
  const IostatView& view_;
  std::vector<Column> columns_;
  std::size_t label_width_ = 8;
  std::size_t device_width_ = 6;

  [[nodiscard]] std::string names(const std::string& label, const std::string& device) const {
    return fmt::format("{:<{}} {:<{}}", label, label_width_, device, device_width_);
  }
  [[nodiscard]] std::string numbers(const Figures& figures) const {
    std::string text;
    for (const Column& column : columns_) {
      text += fmt::format(" {:>{}}", column.text(figures), column.width);
    }
    return text;
  }
};

}  // namespace

std::string iostat_table(const IostatReport& report, const IostatView& view) {
  const Table table(report, view);
  std::string text = report_heading(report) + table.header();
  for (const IostatModule& module : report.modules) {
    if (!view.totals_only) {
      for (const IostatRow& row : module.rows) text += table.row(row);
    }
    text += table.total(total_label(module), module.total);
  }
  text += table.total("total", report.total);
  return text + report_reasons(report, view) + "\n";
}

}  // namespace mark6
