// SPDX-License-Identifier: MIT
#include "common/report/stats_prometheus.hpp"

#include <catch2/catch.hpp>
#include <map>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "tests/support/stats_example.hpp"

using namespace mark6;

namespace {

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

/// Value of the one sample that begins with `name` and has all of `labels`.
std::string sample(const std::string& text, const std::string& name,
                   const std::vector<std::string>& labels) {
  std::string found = "none";
  for (const std::string& line : lines_of(text)) {
    bool fits = line.starts_with(name + "{");
    for (const std::string& label : labels) fits = fits && line.find(label) != std::string::npos;
    if (!fits) continue;
    if (found != "none") return "several";
    found = line.substr(line.rfind(' ') + 1);
  }
  return found;
}

}  // namespace

TEST_CASE("prometheus: counters of disks in base units, labelled", "[unit][stats][pure]") {
  const std::string text = prometheus_text(test::example_stats());
  CHECK(text.starts_with(kPrometheusMark));
  const std::vector<std::string> disk = {R"(module="2")", R"(disk="5")", R"(device="sdr")",
                                         R"(serial="W4J0ABCD")", R"(program="mark6gather")"};
  CHECK(sample(text, "mark6_disk_read_bytes_total", disk) == "1000000000");
  CHECK(sample(text, "mark6_disk_busy_seconds_total", disk) == "8.5");
  CHECK(sample(text, "mark6_disk_read_errors_total", disk) == "1");
  CHECK(sample(text, "mark6_disk_block_ratio", disk) == "0.0325");
  CHECK(sample(text, "mark6_disk_block_ratio", {R"(disk="0")"}) == "none");
  CHECK(sample(text, "mark6_disk_read_bytes_total", {R"(device="",serial="")"}) == "0");
  CHECK(sample(text, "mark6_disk_verdict", {R"(disk="5")", R"(state="slow")"}) == "1");
  CHECK(sample(text, "mark6_disk_verdict", {R"(disk="5")", R"(state="fine")"}) == "0");
  CHECK(sample(text, "mark6_disk_verdict", {R"(disk="0")", R"(state="unknown")"}) == "1");
}

TEST_CASE("prometheus: the histogram is cumulative and ends with all requests",
          "[unit][stats][pure]") {
  const std::string text = prometheus_text(test::example_stats());
  const std::string name = "mark6_disk_read_latency_seconds";
  CHECK(sample(text, name + "_bucket", {R"(disk="5")", R"(le="0.008388608")"}) == "900");
  CHECK(sample(text, name + "_bucket", {R"(disk="5")", R"(le="0.536870912")"}) == "1000");
  CHECK(sample(text, name + "_bucket", {R"(disk="5")", R"(le="+Inf")"}) == "1000");
  CHECK(sample(text, name + "_count", {R"(disk="5")"}) == "1000");
  CHECK(sample(text, name + "_sum", {R"(disk="5")"}) == "12.5");
}

TEST_CASE("prometheus: streams of a scan are one series, those that ended counted in",
          "[unit][stats][pure]") {
  StatsSnapshot stats = test::example_stats();  // one ended, one open
  const std::string scan = R"(scan="exp1_xx_no0001.vdif")";
  stats.streams.push_back(stats.streams.front());
  const std::string text = prometheus_text(stats);
  CHECK(sample(text, "mark6_stream_delivered_bytes_total", {scan}) == "12000000000");
  CHECK(sample(text, "mark6_stream_sink_seconds_total", {scan}) == "3");
  CHECK(sample(text, "mark6_stream_stall_seconds_total", {scan, R"(disk="5")"}) == "7.5");
  CHECK(sample(text, "mark6_stream_stall_seconds_total", {scan, R"(module="1")"}) == "1.5");
}

TEST_CASE("prometheus: every metric has its help and type once, and no sample twice",
          "[unit][stats][pure]") {
  std::set<std::string> seen, samples;
  std::string metric, type;
  for (const std::string& line : lines_of(prometheus_text(test::example_stats()))) {
    CAPTURE(line);
    if (line.starts_with("# HELP ")) {
      metric = line.substr(7, line.find(' ', 7) - 7);
      CHECK(seen.insert(metric).second);
      CHECK(line.ends_with("."));
    } else if (line.starts_with("# TYPE ")) {
      CHECK(line.starts_with("# TYPE " + metric + " "));
      type = line.substr(line.rfind(' ') + 1);
      CHECK((type == "counter") == metric.ends_with("_total"));
    } else {
      CHECK(line.starts_with(metric + (type == "histogram" ? "_" : "{")));
      CHECK(samples.insert(line.substr(0, line.rfind(' '))).second);
    }
  }
  CHECK(seen.size() > 20);
}

TEST_CASE("prometheus: labels are escaped", "[unit][stats][pure]") {
  StatsSnapshot stats = test::example_stats();
  stats.streams[0].scan = "a\"b\\c\nd\xff";
  stats.ended.clear();
  CHECK(sample(prometheus_text(stats), "mark6_stream_work_seconds_total",
               {"scan=\"a\\\"b\\\\c\\nd\xEF\xBF\xBD\""}) == "0.25");
}
