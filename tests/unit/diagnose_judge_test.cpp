// SPDX-License-Identifier: MIT
// From measurements to verdicts, summary, report and JSON, on diagnoses that are made up.
#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>
#include <sstream>

#include "common/account/histogram.hpp"
#include "tools/diagnose_output.hpp"
#include "tools/diagnose_phases.hpp"
#include "tools/diagnose_rates.hpp"
#include "tools/diagnose_result.hpp"
#include "tools/diagnose_topology.hpp"

using namespace mark6;

namespace {

constexpr double kMB = 1e6;
constexpr std::uint32_t kRead = std::uint32_t{1} << 20;

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

/// A disk that gave so many bytes per second for so long, two reads at a time.
DiskActivity activity_of(double bytes_per_s, double seconds) {
  DiskActivity disk;
  disk.requests = static_cast<std::uint64_t>(bytes_per_s * seconds / kRead);
  disk.bytes = disk.requests * kRead;
  disk.busy_ns = static_cast<std::int64_t>(seconds * 1e9);
  disk.queue_integral_ns = 2 * disk.busy_ns;
  Histogram latency;
  for (std::uint64_t i = 0; i < disk.requests; ++i) {
    latency.add(static_cast<std::int64_t>(2e9 * kRead / bytes_per_s));
  }
  disk.latency = LatencyCounts(latency);
  return disk;
}

/// Two modules of eight, with what each disk gives alone and together (MB/s).
Diagnosis pack(const std::vector<double>& alone, const std::vector<double>& together) {
  Diagnosis diagnosis;
  diagnosis.timeout_s = 30;
  diagnosis.results.resize(alone.size());
  for (std::size_t i = 0; i < alone.size(); ++i) {
    DiskUnderTest disk{.disk = DiskIndex(static_cast<std::uint32_t>(i)), .device = {}};
    disk.module = std::to_string(1 + i / 8);
    disk.name = std::to_string(i % 8);
    disk.label = disk.module + "/" + disk.name;
    disk.device.kernel_name = "sd" + std::string(1, static_cast<char>('b' + i));
    disk.device.facts.serial = "Z" + std::to_string(i);
    disk.directory = "/mnt/disks/" + disk.label + "/data";
    diagnosis.disks.push_back(disk);
    // Slow ones are given more time, until they have shown enough.
    const double seconds = alone[i] < 30 ? 2.5 : 0.7;
    diagnosis.phases.push_back(
        {"alone", {.disks = {i}, .elapsed_ns = static_cast<std::int64_t>(seconds * 1e9)}});
    diagnosis.phases.back().measure.activity = {activity_of(alone[i] * kMB, seconds)};
  }
  Phase all{"together", {.elapsed_ns = 8'000'000'000}};
  for (std::size_t i = 0; i < together.size(); ++i) {
    all.measure.disks.push_back(i);
    all.measure.activity.push_back(activity_of(together[i] * kMB, 8));
  }
  diagnosis.phases.push_back(all);
  return diagnosis;
}

std::vector<double> sixteen(double rate) { return std::vector<double>(16, rate); }

std::vector<double> with(std::vector<double> rates, std::size_t disk, double rate) {
  rates[disk] = rate;
  return rates;
}

std::string joined(const std::vector<std::string>& lines) {
  std::string text;
  for (const std::string& line : lines) text += line + "\n";
  return text;
}

std::vector<std::size_t> bad(const Diagnosis& diagnosis) {
  std::vector<std::size_t> places;
  for (std::size_t i = 0; i < diagnosis.results.size(); ++i) {
    if (diagnosis.results[i].verdict.judgement >= Judgement::kSuspect) places.push_back(i);
  }
  return places;
}

}  // namespace

TEST_CASE("diagnose verdict: healthy disks are fine, and nothing is advised",
          "[unit][diagnose][pure]") {
  std::vector<double> rates = sixteen(60);
  for (std::size_t i = 0; i < rates.size(); ++i) rates[i] *= 0.8 + 0.4 * double(i % 5) / 4;
  Diagnosis diagnosis = pack(rates, rates);
  judge(diagnosis);
  CHECK(bad(diagnosis).empty());
  CHECK(exit_code_of(diagnosis) == ExitCode::kDelivered);
  const auto summary = summary_of(diagnosis);
  CHECK(summary.front() == "no disk is slow: 16 fine");
  CHECK(contains(joined(summary), "all 16 disks together give"));
  CHECK_FALSE(contains(joined(summary), "next:"));
}

TEST_CASE("diagnose verdict: a slow disk is named with its device, and the swap test",
          "[unit][diagnose][pure]") {
  for (const double rate : {30.0, 15.0, 7.5}) {
    Diagnosis diagnosis = pack(with(sixteen(60), 13, rate), with(sixteen(60), 13, rate));
    diagnosis.disks[13].device.facts.model = "ST4000NM0033";
    judge(diagnosis);
    CAPTURE(rate);
    CHECK(bad(diagnosis) == std::vector<std::size_t>{13});
    CHECK(diagnosis.results[13].verdict.judgement == Judgement::kSlow);
    CHECK_FALSE(diagnosis.results[13].held_up_by_others);
    CHECK(exit_code_of(diagnosis) == ExitCode::kDamaged);
    const auto summary = summary_of(diagnosis);
    CHECK(summary.size() <= 5);
    CHECK(summary.front().find("2/5 (sdo, ST4000NM0033, serial Z13) is slow (") == 0);
    CHECK(contains(summary.front(), "so it is alone"));
    CHECK(contains(summary.back(), "next: swap 2/5 with the healthy 2/0"));
  }
}

TEST_CASE("diagnose verdict: a device that lets bytes pass in bursts is told by its rate",
          "[unit][diagnose][pure]") {
  Diagnosis diagnosis = pack(with(sixteen(60), 3, 30), with(sixteen(60), 3, 30));
  // Most of its reads are as quick as the others', and then it does nothing for a while.
  for (Phase& phase : diagnosis.phases) {
    for (std::size_t i = 0; i < phase.measure.disks.size(); ++i) {
      if (phase.measure.disks[i] != 3) continue;
      DiskActivity& burst = phase.measure.activity[i];
      burst.busy_ns /= 2;
      burst.queue_integral_ns /= 2;
      Histogram quick;
      for (std::uint64_t k = 0; k < burst.requests; ++k) quick.add(35'000'000);
      burst.latency = LatencyCounts(quick);
    }
  }
  judge(diagnosis);
  CHECK(bad(diagnosis) == std::vector<std::size_t>{3});
  CHECK(diagnosis.results[3].verdict.judgement == Judgement::kSlow);
  CHECK(contains(diagnosis.results[3].verdict.reason, "(2.0 x), and together with them 30 MB/s"));
}

TEST_CASE("diagnose rates: far less than three or more peers, and unlike its model",
          "[unit][diagnose][pure]") {
  std::vector<DiskRate> disks(12, DiskRate{60e6, "A"});
  disks[0].bytes_per_s = 42e6;
  CHECK_FALSE(compare_rates(disks, 0)->far);
  disks[0].bytes_per_s = 30e6;
  CHECK(compare_rates(disks, 0)->far);
  CHECK(compare_rates(disks, 0)->times == Approx(2));
  CHECK_FALSE(compare_rates(disks, 0)->like_its_model);
  for (std::size_t i = 0; i < 4; ++i) disks[i] = {30e6, "B"};
  CHECK(compare_rates(disks, 0)->like_its_model);
  disks[3] = {};  // not measured
  CHECK_FALSE(compare_rates(disks, 0)->like_its_model);
  CHECK_FALSE(compare_rates(disks, 3));
  disks.resize(3);
  CHECK_FALSE(compare_rates(disks, 0));
}

TEST_CASE("diagnose verdict: disks that are slow only among others are not to blame",
          "[unit][diagnose][pure]") {
  std::vector<double> together = sixteen(60);
  for (std::size_t i = 4; i < 8; ++i) together[i] = 20;
  Diagnosis diagnosis = pack(sixteen(60), together);
  judge(diagnosis);
  CHECK(bad(diagnosis) == std::vector<std::size_t>{4, 5, 6, 7});
  for (std::size_t i = 4; i < 8; ++i) {
    CHECK(diagnosis.results[i].held_up_by_others);
    CHECK(diagnosis.results[i].verdict.judgement == Judgement::kSuspect);
  }
  std::string summary = joined(summary_of(diagnosis));
  CHECK(contains(summary, "1/4, 1/5, 1/6, 1/7 are slow only together with others"));
  CHECK(contains(summary, "--scaling"));
  CHECK_FALSE(contains(summary, "swap"));

  diagnosis.scaling_asked = true;
  diagnosis.shared = {
      {.group = {{4, 5, 6, 7}, 80e6}, .why = "these disks only share module 1 lane 4-7"}};
  summary = joined(summary_of(diagnosis));
  CHECK(summary.find("1/4, 1/5, 1/6, 1/7 share a bottleneck of 80 MB/s: these disks only share "
                     "module 1 lane 4-7\n") == 0);
  CHECK(contains(summary, "next: what these disks share"));
  CHECK(exit_code_of(diagnosis) == ExitCode::kDamaged);
}

TEST_CASE("diagnose verdict: a disk that a crowd hides is told by what it gives alone",
          "[unit][diagnose][pure]") {
  Diagnosis crowded = pack(with(sixteen(60), 3, 25), sixteen(22));
  judge(crowded);
  CHECK(crowded.results[3].verdict.judgement == Judgement::kSlow);
  // With room for all, the longer look counts for more.
  Diagnosis free = pack(with(sixteen(60), 3, 25), sixteen(60));
  judge(free);
  CHECK(free.results[3].verdict.judgement == Judgement::kSuspect);
  CHECK(contains(free.results[3].verdict.reason, "with all others it was like them"));
}

TEST_CASE("diagnose verdict: a slow lane or module is told as such", "[unit][diagnose][pure]") {
  std::vector<double> lane = sixteen(60);
  for (const std::size_t i : {4U, 5U, 6U, 7U}) lane[i] = 20;
  Diagnosis diagnosis = pack(lane, lane);
  judge(diagnosis);
  CHECK(contains(summary_of(diagnosis).back(), "all of them are in module 1 lane 4-7"));
  std::vector<double> module = sixteen(60);
  for (const std::size_t i : {9U, 10U, 14U}) module[i] = 20;
  diagnosis = pack(module, module);
  judge(diagnosis);
  CHECK(contains(summary_of(diagnosis).back(), "all of them are in module 2: put it into another"));
}

TEST_CASE("diagnose verdict: hung disks, failed reads and disks without scans",
          "[unit][diagnose][pure]") {
  Diagnosis diagnosis = pack(sixteen(60), sixteen(60));
  diagnosis.results[2].hung = true;
  judge(diagnosis);
  CHECK(exit_code_of(diagnosis) == ExitCode::kIo);
  CHECK(contains(summary_of(diagnosis).front(), "has not answered for 30 s"));
  CHECK(contains(summary_of(diagnosis).back(), "look for 1/2 in the kernel's log"));

  diagnosis = pack(sixteen(60), sixteen(60));
  diagnosis.results[5].errors = 3;
  diagnosis.results[5].last_error = 5;
  judge(diagnosis);
  CHECK(exit_code_of(diagnosis) == ExitCode::kIo);
  CHECK(bad(diagnosis) == std::vector<std::size_t>{5});
  CHECK(contains(summary_of(diagnosis).front(), "3 reads failed (Input/output error)"));

  diagnosis = pack(sixteen(60), sixteen(60));
  diagnosis.disks[7].not_read = "no scans on it, nothing to read";
  diagnosis.phases.erase(diagnosis.phases.begin() + 7);
  diagnosis.phases.back().measure.disks.erase(diagnosis.phases.back().measure.disks.begin() + 7);
  judge(diagnosis);
  CHECK(exit_code_of(diagnosis) == ExitCode::kDelivered);
  CHECK(contains(diagnose_report(diagnosis), "unknown: no scans on it, nothing to read"));

  Diagnosis nothing;
  nothing.disks = {diagnosis.disks[7]};
  judge(nothing);
  CHECK(exit_code_of(nothing) == ExitCode::kNotFound);
  CHECK(contains(diagnose_report(nothing), "no verdict"));
}

TEST_CASE("diagnose verdict: slow while recording and fine now is told, and no fault",
          "[unit][diagnose][pure]") {
  Diagnosis diagnosis = pack(sixteen(60), sixteen(60));
  diagnosis.disks[4].slow_while_recording = true;
  diagnosis.disks[4].recording = "was slow while recording: 60 blocks, the other 15 disks 118 each";
  judge(diagnosis);
  CHECK(exit_code_of(diagnosis) == ExitCode::kDelivered);
  CHECK(contains(joined(summary_of(diagnosis)),
                 "1/4 was slow while recording: 60 blocks, the other 15 disks 118 each; it reads "
                 "well now"));
  CHECK(contains(diagnose_report(diagnosis), "fine, was slow while recording"));
}

TEST_CASE("diagnose report: the table is aligned and safe to print", "[unit][diagnose][pure]") {
  Diagnosis diagnosis = pack(with(sixteen(60), 3, 20), with(sixteen(60), 3, 20));
  diagnosis.disks[0].label = "1/\x1b[31m";
  diagnosis.scaling_asked = true;
  diagnosis.scaling = {{.disks = 1, .bytes_per_s = 60e6, .alone_bytes_per_s = 60e6},
                       {.disks = 16,
                        .bytes_per_s = 480e6,
                        .alone_bytes_per_s = 960e6,
                        .cpu_s_per_gb = 0.0123,
                        .machine_busy = 0.4}};
  judge(diagnosis);
  const std::string report = diagnose_report(diagnosis);
  CHECK_FALSE(contains(report, "\x1b"));
  CHECK(contains(report, "1/3 "));
  std::istringstream lines(report);
  std::size_t summary = 0;
  for (std::string line; std::getline(lines, line) && !line.empty();) ++summary;
  CHECK(summary <= 5);
  CHECK(contains(report, "   16  480.0      960.0        50 %     0.012  40 % busy\n"));
  CHECK(contains(report, "shared: nothing was found"));
  CHECK(contains(report, "\nDISK        DEVICE  SERIAL  ALONE"));  // no model is known
  CHECK_FALSE(contains(report, "1/3 is slow: "));                  // the summary says it
  judge(diagnosis = pack(with(sixteen(60), 3, 60), std::vector<double>(16, 60)));
  for (const std::size_t i : {2U, 5U, 9U})
    diagnosis.results[i].verdict.judgement = Judgement::kSlow;
  CHECK(contains(diagnose_report(diagnosis), "\n1/2 is slow: "));
}

TEST_CASE("diagnose JSON: devices, phases, scaling, groups and summary", "[unit][diagnose][pure]") {
  Diagnosis diagnosis = pack(with(sixteen(60), 3, 20), with(sixteen(60), 3, 20));
  diagnosis.shared = {{.group = {{8, 9}, 70e6}, .why = "why\xff"}};
  diagnosis.scaling = {{.disks = 16, .bytes_per_s = 900e6, .alone_bytes_per_s = 920e6}};
  diagnosis.disks[3].blocks = 60;
  diagnosis.disks[3].block_share = 0.03;
  judge(diagnosis);
  const std::string text = diagnose_json(diagnosis);
  CHECK(std::count(text.begin(), text.end(), '\n') == 1);
  const auto answer = nlohmann::json::parse(text);
  CHECK(answer["schema"] == "mark6.diagnose/1");
  REQUIRE(answer["devices"].size() == 16);
  const auto& device = answer["devices"][3];
  CHECK(device["module"] == "1");
  CHECK(device["disk"] == "3");
  CHECK(device["kernel_name"] == "sde");
  CHECK(device["serial"] == "Z3");
  CHECK(device["verdict"] == "slow");
  CHECK(device["block_share"] == 0.03);
  CHECK(device["requests"] == std::uint64_t(20e6 * 8 / kRead));
  CHECK(device["latency_s"]["p50"].get<double>() == Approx(2.0 * kRead / 20e6).epsilon(0.07));
  CHECK(answer["devices"][0]["block_share"].is_null());
  CHECK(answer["devices"][0]["held_up_by_others"] == false);
  REQUIRE(answer["phases"].size() == 17);
  CHECK(answer["phases"][16]["name"] == "together");
  CHECK(answer["phases"][16]["disks"].size() == 16);
  CHECK(answer["scaling"][0]["efficiency"].get<double>() == Approx(900.0 / 920));
  CHECK(answer["shared"][0]["disks"] == std::vector<std::string>{"2/0", "2/1"});
  CHECK(answer["shared"][0]["cap_bytes_per_s"] == 70e6);
  CHECK(answer["summary"].size() <= 5);
}

TEST_CASE("diagnose phases: all of them fit into their time", "[unit][diagnose][pure]") {
  CHECK(alone_seconds(28, 9, 16) == Approx(0.7));
  CHECK(alone_seconds(28, 9, 32) == Approx(19.0 / 32 - 0.3));
  CHECK(alone_seconds(5, 9, 64) == Approx(0.2));
  CHECK(step_sizes(1).empty());
  CHECK(step_sizes(2) == std::vector<std::size_t>{2});
  CHECK(step_sizes(12) == std::vector<std::size_t>{2, 4, 8, 12});
  CHECK(step_sizes(16) == std::vector<std::size_t>{2, 4, 8, 16});
}

TEST_CASE("diagnose topology: the nearest thing that only these disks have in common",
          "[unit][diagnose][pure]") {
  Diagnosis diagnosis = pack(sixteen(60), sixteen(60));
  auto& disks = diagnosis.disks;
  const std::vector<std::size_t> lane{4, 5, 6, 7};
  CHECK(what_they_share(disks, lane) == "these disks only share module 1 lane 4-7");
  CHECK(what_they_share(disks, {0, 5}) == "these disks only share module 1");
  CHECK(contains(what_they_share(disks, {0, 9}), "nothing in /sys"));
  for (std::size_t i = 0; i < disks.size(); ++i) {
    const std::string n = std::to_string(i);
    disks[i].device.facts.sys_path =
        "devices/pci0000:00/0000:00:03.0/0000:0" + std::to_string(3 + i / 8) + ":00.0/host" +
        std::to_string(6 + i / 8) + "/port-6:" + std::to_string(i / 4) + "/end_device-6:" + n +
        "/target6:0:" + n + "/6:0:" + n + ":0/block/sd" + n;
  }
  CHECK(what_they_share(disks, lane) ==
        "all are behind SAS port port-6:1 (one cable), and no other disk does");
  CHECK(contains(what_they_share(disks, {0, 1, 2, 3, 4, 5, 6, 7}), "SCSI host host6"));
  CHECK(contains(what_they_share(disks, {0, 5}),
                 "SCSI host host6, and so do 6 of the 14 other disks"));
  CHECK(contains(what_they_share(disks, {0, 9}), "nothing in /sys"));  // all have that bus
}

TEST_CASE("diagnose topology: a device below several disks is what they share",
          "[unit][diagnose][pure]") {
  Diagnosis diagnosis = pack(sixteen(60), sixteen(60));
  DeviceIdentity bottom, below;
  bottom.kernel_name = "sda";
  below.kernel_name = "loop30";
  below.below = {bottom};
  for (std::size_t i = 0; i < 16; ++i) {
    const bool shares = i == 1 || i == 9;
    diagnosis.disks[i].device.below = {shares ? below : bottom};
  }
  CHECK(what_they_share(diagnosis.disks, {1, 9}) == "all stand on loop30, and no other disk does");
  CHECK(contains(what_they_share(diagnosis.disks, {2, 10}), "nothing in /sys"));
}

TEST_CASE("diagnose topology: directories on one disk are told", "[unit][diagnose][pure]") {
  Diagnosis diagnosis = pack(sixteen(60), sixteen(60));
  CHECK(disks_on_one_device(diagnosis.disks).empty());
  for (const std::size_t i : {2U, 9U}) diagnosis.disks[i].device.kernel_name = "sdz";
  diagnosis.disks[3].device.kernel_name = std::nullopt;
  diagnosis.disks[4].device.kernel_name = std::nullopt;
  const auto lines = disks_on_one_device(diagnosis.disks);
  REQUIRE(lines.size() == 1);
  CHECK(lines[0].find("1/2, 2/1 all lie on sdz") == 0);
}
