// SPDX-License-Identifier: MIT
#include "common/report/stats_prometheus.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <functional>
#include <map>
#include <string_view>
#include <utility>
#include <vector>

#include "common/base/escape.hpp"

namespace mark6 {
namespace {

/// A label's value, escaped as the format asks for.
std::string quoted(std::string_view value) {
  std::string text = "\"";
  for (const char c : valid_utf8(value)) {
    if (c == '\n') {
      text += "\\n";
    } else {
      if (c == '"' || c == '\\') text += '\\';
      text += c;
    }
  }
  return text + '"';
}

std::string label(std::string_view name, std::string_view value) {
  return fmt::format("{}={}", name, quoted(value));
}

/// Counts in full, everything else as short as it can be without loss.
template <class Number>
std::string number(Number value) {
  return fmt::format("{}", value);
}

/// What was delivered of a scan, by streams that are open and such that have ended.
using Scans = std::map<std::string, StreamStats>;

class Writer {
 public:
  explicit Writer(const StatsSnapshot& stats)
      : stats_(stats),
        program_(label("program", stats.program) + "," + label("target", stats.target)) {
    for (const DeviceStats& device : stats.devices) {
      const DeviceFacts& facts = device.identity.facts;
      labels_.push_back(fmt::format("{},{},{},{},{}", program_, label("module", device.module),
                                    label("disk", device.disk),
                                    label("device", device.identity.kernel_name.value_or("")),
                                    label("serial", facts.serial.value_or(""))));
    }
  }

  void begin(std::string_view name, std::string_view type, std::string_view help) {
    name_ = name;
    text_ += fmt::format("# HELP {} {}\n# TYPE {} {}\n", name, help, name, type);
  }

  void sample(std::string_view labels, std::string_view value, std::string_view suffix = "") {
    text_ += fmt::format("{}{}{{{}}} {}\n", name_, suffix, labels, value);
  }

  /// A metric with one sample per disk; nothing where `value` is empty.
  void per_disk(std::string_view name, std::string_view type, std::string_view help,
                const std::function<std::string(const DeviceStats&)>& value) {
    begin(name, type, help);
    for (std::size_t i = 0; i < labels_.size(); ++i) {
      const std::string sampled = value(stats_.devices[i]);
      if (!sampled.empty()) sample(labels_[i], sampled);
    }
  }

  [[nodiscard]] const StatsSnapshot& stats() const { return stats_; }
  [[nodiscard]] const std::string& program() const { return program_; }
  [[nodiscard]] const std::string& disk_labels(std::size_t i) const { return labels_[i]; }
  [[nodiscard]] std::string take() { return std::move(text_); }

 private:
  const StatsSnapshot& stats_;
  const std::string program_;
  std::vector<std::string> labels_;
  std::string name_;
  std::string text_;
};

void write_program(Writer& out) {
  out.begin("mark6_snapshot_timestamp_seconds", "gauge", "When these figures were taken.");
  out.sample(out.program(), fmt::format("{:.3f}", out.stats().time_s));
  out.begin("mark6_uptime_seconds", "gauge", "How long the program's reader has run.");
  out.sample(out.program(), number(out.stats().uptime_s));
}

struct DiskMetric {
  const char* name;
  const char* type;
  const char* help;
  std::string (*value)(const DeviceStats&);
};

constexpr std::array<DiskMetric, 14> kDiskMetrics = {{
    {"mark6_disk_reads_completed_total", "counter", "Reads that came back, good or bad.",
     [](const DeviceStats& d) { return number(d.total.requests); }},
    {"mark6_disk_read_bytes_total", "counter", "Bytes read from the disk.",
     [](const DeviceStats& d) { return number(d.total.bytes); }},
    {"mark6_disk_cached_bytes_total", "counter",
     "Bytes taken from the page cache instead of the disk.",
     [](const DeviceStats& d) { return number(d.total.cached_bytes); }},
    {"mark6_disk_read_errors_total", "counter", "Reads that failed.",
     [](const DeviceStats& d) { return number(d.total.errors); }},
    {"mark6_disk_read_retries_total", "counter", "Reads that had to be repeated.",
     [](const DeviceStats& d) { return number(d.total.retries); }},
    {"mark6_disk_reads_in_flight", "gauge", "Reads that the disk has not answered yet.",
     [](const DeviceStats& d) { return number(d.in_flight); }},
    {"mark6_disk_busy_seconds_total", "counter", "Time with a read in flight.",
     [](const DeviceStats& d) { return number(d.total.busy_s); }},
    {"mark6_disk_queue_seconds_total", "counter",
     "Integral of the number of reads in flight over time.",
     [](const DeviceStats& d) { return number(d.total.queue_s); }},
    {"mark6_disk_queue_wait_seconds_total", "counter",
     "Time that reads waited in the program before the disk was asked.",
     [](const DeviceStats& d) { return number(d.total.queue_wait_s); }},
    {"mark6_disk_stall_seconds_total", "counter", "Time that streams stood still for the disk.",
     [](const DeviceStats& d) { return number(d.total.stall_s); }},
    {"mark6_disk_blocks", "gauge", "Blocks on the disk of the scan that was opened last.",
     [](const DeviceStats& d) { return d.blocks ? number(*d.blocks) : std::string(); }},
    {"mark6_disk_block_ratio", "gauge", "Share of the disk in this scan's blocks.",
     [](const DeviceStats& d) { return d.block_share ? number(*d.block_share) : std::string(); }},
    {"mark6_disk_slow_while_recording", "gauge",
     "1 if the recorder gave the disk far fewer blocks than the others.",
     [](const DeviceStats& d) { return number(d.verdict.slow_while_recording ? 1 : 0); }},
    {"mark6_disk_verdict_confidence_ratio", "gauge", "How sure the verdict is.",
     [](const DeviceStats& d) { return number(d.verdict.confidence); }},
}};

void write_verdicts(Writer& out) {
  out.begin("mark6_disk_verdict", "gauge",
            "1 for the state that the disk is in, 0 for the others.");
  for (std::size_t i = 0; i < out.stats().devices.size(); ++i) {
    for (const Judgement state :
         {Judgement::kUnknown, Judgement::kFine, Judgement::kSuspect, Judgement::kSlow}) {
      out.sample(out.disk_labels(i) + "," + label("state", to_string(state)),
                 out.stats().devices[i].verdict.judgement == state ? "1" : "0");
    }
  }
}

void write_latencies(Writer& out) {
  out.begin("mark6_disk_read_latency_seconds", "histogram",
            "Time from asking the disk to its answer.");
  for (std::size_t i = 0; i < out.stats().devices.size(); ++i) {
    const DeviceFigures& figures = out.stats().devices[i].total;
    const std::string& labels = out.disk_labels(i);
    std::uint64_t count = 0;
    for (const LatencyBucket& bucket : figures.latency.buckets) {
      count += bucket.requests;
      out.sample(labels + "," + label("le", number(bucket.at_most_s)), number(count), "_bucket");
    }
    // The counters may be a request apart; a histogram must not count less above than below.
    count = std::max(count, figures.requests);
    out.sample(labels + "," + label("le", "+Inf"), number(count), "_bucket");
    out.sample(labels, number(figures.latency.sum_s), "_sum");
    out.sample(labels, number(count), "_count");
  }
}

Scans scans_of(const StatsSnapshot& stats) {
  Scans scans;
  for (const auto* streams : {&stats.ended, &stats.streams}) {
    for (const StreamStats& stream : *streams) {
      const auto [place, is_new] = scans.emplace(valid_utf8(stream.scan), stream);
      if (!is_new) add_stream(place->second, stream);
    }
  }
  return scans;
}

void write_scans(Writer& out) {
  struct ScanMetric {
    const char* name;
    const char* help;
    std::string (*value)(const StreamStats&);
  };
  constexpr std::array<ScanMetric, 4> kMetrics = {{
      {"mark6_stream_delivered_bytes_total", "Bytes of the scan that were delivered.",
       [](const StreamStats& s) { return number(s.bytes); }},
      {"mark6_stream_elapsed_seconds_total", "Time that streams of the scan were open.",
       [](const StreamStats& s) { return number(s.elapsed_s); }},
      {"mark6_stream_sink_seconds_total", "Of it, waiting for whoever takes the bytes.",
       [](const StreamStats& s) { return number(s.sink_s); }},
      {"mark6_stream_work_seconds_total", "Of it, own work.",
       [](const StreamStats& s) { return number(s.work_s); }},
  }};
  const Scans scans = scans_of(out.stats());
  const auto labels = [&](const std::string& scan) {
    return out.program() + "," + label("scan", scan);
  };
  for (const auto& metric : kMetrics) {
    out.begin(metric.name, "counter", metric.help);
    for (const auto& [scan, stream] : scans) out.sample(labels(scan), metric.value(stream));
  }
  out.begin("mark6_stream_stall_seconds_total", "counter", "Of it, waiting for a disk.");
  for (const auto& [scan, stream] : scans) {
    for (const DeviceStats& device : out.stats().devices) {
      const double stall_s = stall_of(stream, device.label());
      if (stall_s <= 0) continue;
      out.sample(fmt::format("{},{},{}", labels(scan), label("module", device.module),
                             label("disk", device.disk)),
                 number(stall_s));
    }
  }
}

}  // namespace

std::string prometheus_text(const StatsSnapshot& stats) {
  Writer out(stats);
  write_program(out);
  for (const DiskMetric& metric : kDiskMetrics) {
    out.per_disk(metric.name, metric.type, metric.help, metric.value);
  }
  write_latencies(out);
  write_verdicts(out);
  write_scans(out);
  return out.take();
}

}  // namespace mark6
