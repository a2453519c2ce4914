// SPDX-License-Identifier: MIT
// `mark6 iostat` as a whole, on machines made of files: arguments in, exit code, stdout and stderr
// out. That the columns are sysstat's is tested on the recorded pairs of
// tests/support/record_iostat.sh.
#include <catch2/catch.hpp>
#include <cmath>
#include <map>
#include <nlohmann/json.hpp>
#include <sstream>

#include "common/account/kernel_activity.hpp"
#include "tests/support/iostat_machine.hpp"
#include "tests/support/stats_example.hpp"

using namespace mark6;
using test::FakeReads;
using test::IostatMachine;

namespace {

using Words = std::vector<std::string>;

std::vector<std::string> lines(const std::string& text) {
  std::vector<std::string> result;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) result.push_back(line);
  return result;
}

Words words(const std::string& line) {
  std::istringstream stream(line);
  return {std::istream_iterator<std::string>(stream), {}};
}

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

std::size_t count(const std::string& text, const std::string& part) {
  std::size_t found = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) {
    ++found;
  }
  return found;
}

/// The words of the lines that begin with `label`.
std::vector<Words> rows(const std::string& text, const std::string& label) {
  std::vector<Words> found;
  for (const std::string& line : lines(text)) {
    if (line.starts_with(label + " ")) found.push_back(words(line));
  }
  return found;
}

std::vector<nlohmann::json> objects(const std::string& text) {
  std::vector<nlohmann::json> result;
  for (const std::string& line : lines(text)) result.push_back(nlohmann::json::parse(line));
  return result;
}

/// Two modules of two disks, sdg to sdj; each did `reads` since boot.
void four_disks(IostatMachine& machine, const std::vector<FakeReads>& reads) {
  const std::vector<std::string> names{"sdg", "sdh", "sdi", "sdj"};
  const std::vector<std::string> numbers{"8:96", "8:112", "8:128", "8:144"};
  const std::vector<std::string> labels{"1/0", "1/1", "2/0", "2/1"};
  std::string text;
  for (std::size_t i = 0; i < names.size(); ++i) {
    machine.disk(labels[i], names[i], numbers[i]);
    text += IostatMachine::line(names[i], numbers[i], reads[i]);
  }
  machine.diskstats(text);
}

void four_disks(IostatMachine& machine, const FakeReads& reads) {
  four_disks(machine, std::vector<FakeReads>(4, reads));
}

std::string text_of(const std::string& name) {
  std::ifstream file(std::string(MARK6_SOURCE_DIR "/tests/data/diskstats/") + name);
  REQUIRE(file.good());
  return {std::istreambuf_iterator<char>(file), {}};
}

/// What sysstat printed: the columns of each device.
std::map<std::string, Words> printed_by_iostat(const std::string& pair) {
  std::map<std::string, Words> printed;
  for (const std::string& line : lines(text_of(pair + ".iostat"))) {
    Words columns = words(line);
    const std::string name = columns.front();
    columns.erase(columns.begin());
    printed[name] = std::move(columns);
  }
  return printed;
}

/// A program that reads disk 2/0 (device sdi), having done `total` in `uptime_s`.
StatsSnapshot program_on_sdi(const DeviceFigures& total, double uptime_s) {
  StatsSnapshot program;
  program.program = "mark6gather";
  program.target = "exp1_xx_no0001.vdif";
  program.pid = 4711;
  program.uptime_s = uptime_s;
  DeviceStats device;
  device.module = "2";
  device.disk = "0";
  device.identity.kernel_name = "sdi";
  device.identity.number = DeviceNumber{8, 128};
  device.total = total;
  device.recent = total;
  device.verdict = {.judgement = Judgement::kSlow,
                    .confidence = 0.97,
                    .reason = "a read takes 66 ms, on the other 15 disks 33 ms (2.0 x)",
                    .times_slower = 2};
  device.blocks = 60;
  device.block_share = 0.0325;
  program.devices.push_back(device);
  StreamStats stream;
  stream.scan = program.target;
  stream.limit_reason = "limited by disk 2/0: waiting for it 59 %";
  program.streams.push_back(stream);
  return program;
}

DeviceFigures figures(std::uint64_t mib, double stall_s) {
  DeviceFigures figures;
  figures.requests = mib;
  figures.bytes = mib << 20U;
  figures.stall_s = stall_s;
  figures.latency.p99_s = 0.0805;
  return figures;
}

}  // namespace

TEST_CASE("iostat: every column of -x is what sysstat's iostat printed", "[unit][tools][iostat]") {
  const std::string pair = GENERATE("fields", "wraps", "replaced", "load");
  INFO("pair " << pair);
  IostatMachine machine;
  const auto devices = parse_diskstats(text_of(pair + ".after"));
  for (std::size_t i = 0; i < devices.size(); ++i) {
    machine.disk("1/" + std::to_string(i), devices[i].name, to_string(devices[i].number));
  }
  const auto printed = printed_by_iostat(pair);
  std::istringstream uptime(text_of(pair + ".uptime"));
  double before_s = 0;
  double after_s = 0;
  REQUIRE((uptime >> before_s >> after_s));
  machine.diskstats(text_of(pair + ".before"));
  machine.steps = {[&] { machine.diskstats(text_of(pair + ".after")); }};
  const auto outcome = machine.run({"-x", "-k", "-y", std::to_string(after_s - before_s), "1"});
  REQUIRE(outcome.code == ExitCode::kDelivered);

  const Words header = rows(outcome.out, "DISK").at(0);
  const std::size_t columns = iostat_columns().size();
  CHECK(Words(header.begin() + 2, header.begin() + 2 + static_cast<long>(columns)) ==
        printed.at("Device"));
  for (std::size_t i = 0; i < devices.size(); ++i) {
    const Words row = rows(outcome.out, "1/" + std::to_string(i)).at(0);
    INFO("device " << row.at(1));
    CHECK(row.at(1) == devices[i].name);
    for (std::size_t column = 0; column < columns; ++column) {
      INFO("column " << header.at(2 + column));
      // A tie may be rounded either way.
      CHECK(std::abs(std::stod(row.at(2 + column)) -
                     std::stod(printed.at(devices[i].name).at(column))) <= 0.005 + 1e-6);
    }
  }
}

TEST_CASE("iostat: one report since boot where no interval is given", "[unit][tools][iostat]") {
  IostatMachine machine;
  four_disks(machine, {.requests = 2000,
                       .kb = 2'048'000,
                       .wait_ms = 16'000,
                       .busy_ms = 10'000,
                       .queue_ms = 16'000});
  const auto outcome = machine.run({});
  CHECK(outcome.code == ExitCode::kDelivered);
  CHECK(machine.deadlines.empty());
  CHECK(contains(outcome.out, "since boot, 16 min 40 s"));
  const Words header = rows(outcome.out, "DISK").at(0);
  CHECK(header == Words{"DISK", "DEVICE", "r/s", "rMB/s", "r_await", "rareq-sz", "aqu-sz", "%util",
                        "ourMB/s", "p99_ms", "%stall", "verdict"});
  CHECK(rows(outcome.out, "2/1") ==
        std::vector<Words>{
            {"2/1", "sdj", "2.00", "2.00", "8.00", "1024.00", "0.02", "1.00", "-", "-", "-", "-"}});
  CHECK(contains(outcome.err, "give an INTERVAL"));
}

TEST_CASE("iostat: modules and the total add up, times are means over the requests",
          "[unit][tools][iostat]") {
  IostatMachine machine;
  four_disks(machine, FakeReads{});
  machine.steps = {[&] {
    four_disks(machine, {{100, 102'400, 1000, 500, 1000},
                         {300, 307'200, 1000, 1000, 1000},
                         {100, 102'400, 500, 200, 500},
                         {0, 0, 0, 0, 0}});
  }};
  const auto outcome = machine.run({"-y", "1", "1"});
  CHECK(outcome.code == ExitCode::kDelivered);
  CHECK(
      rows(outcome.out, "module") ==
      std::vector<Words>{
          {"module", "1", "400.00", "400.00", "5.00", "1024.00", "2.00", "75.00", "-", "-", "-"},
          {"module", "2", "100.00", "100.00", "5.00", "1024.00", "0.50", "10.00", "-", "-", "-"}});
  CHECK(rows(outcome.out, "total") ==
        std::vector<Words>{
            {"total", "500.00", "500.00", "5.00", "1024.00", "2.50", "42.50", "-", "-", "-"}});
}

TEST_CASE("iostat: -H leaves totals only", "[unit][tools][iostat]") {
  IostatMachine machine;
  four_disks(machine, {.requests = 2000, .kb = 2'048'000});
  const auto outcome = machine.run({"-H"});
  CHECK(rows(outcome.out, "1/0").empty());
  CHECK(rows(outcome.out, "module").size() == 2);
  CHECK(rows(outcome.out, "total").size() == 1);
}

TEST_CASE("iostat: a device of several disks is marked, counted once in totals, and told",
          "[unit][tools][iostat]") {
  IostatMachine machine;
  for (const char* label : {"1/0", "1/1", "2/0"}) machine.disk(label, "sdg", "8:96");
  machine.diskstats(IostatMachine::line("sdg", "8:96", {.requests = 1000, .kb = 1'024'000}));
  const auto outcome = machine.run({"--json"});
  const auto report = objects(outcome.out).at(0);
  CHECK(report["devices"][0]["shared_with"] == Words{"1/1", "2/0"});
  CHECK(report["devices"][0]["kernel"]["r/s"] == 1.0);
  CHECK(report["modules"][0]["kernel"]["r/s"] == 1.0);
  CHECK(report["total"]["kernel"]["r/s"] == 1.0);
  CHECK(contains(outcome.err, "sdg: the device of 1/0, 1/1, 2/0"));
  const auto table = machine.run({"-q"});
  CHECK(rows(table.out, "1/0").at(0).at(1) == "sdg*");
  CHECK(table.err.empty());
}

TEST_CASE("iostat: devices that stand on one disk are told to share its rate",
          "[unit][tools][iostat]") {
  IostatMachine machine;
  machine.device("sda", "8:0");
  machine.system().stat_says("/images/a", {8, 0});
  machine.disk("1/0", "loop0", "7:0");
  machine.disk("1/1", "loop1", "7:1");
  machine.system().attribute("virtual/block/loop0/loop/backing_file", "/images/a\n");
  machine.system().attribute("virtual/block/loop1/loop/backing_file", "/images/a\n");
  machine.diskstats(IostatMachine::line("loop0", "7:0", {}) +
                    IostatMachine::line("loop1", "7:1", {}));
  const auto outcome = machine.run({});
  CHECK(contains(outcome.err, "sda: the devices of 1/0, 1/1 stand on it and share its rate"));
  CHECK(rows(outcome.out, "1/0").at(0).at(1) == "loop0");
}

TEST_CASE("iostat: what a running program says stands beside the kernel's figures",
          "[unit][tools][iostat]") {
  IostatMachine machine;
  four_disks(machine, FakeReads{});
  machine.programs = {program_on_sdi(figures(1000, 5), 10)};
  machine.steps = {[&] { machine.programs = {program_on_sdi(figures(1100, 5.5), 12)}; }};
  const auto outcome = machine.run({"2", "2"});
  CHECK(outcome.code == ExitCode::kDelivered);
  const auto found = rows(outcome.out, "2/0");
  REQUIRE(found.size() == 2);
  // Since the program began: 1000 MiB in 10 s, 5 s of stalls.
  CHECK(Words(found[0].end() - 4, found[0].end()) == Words{"100.00", "80.50", "50.00", "slow"});
  // Then 100 MiB in 2 s, 0.5 s of stalls.
  CHECK(Words(found[1].end() - 4, found[1].end()) == Words{"50.00", "80.50", "25.00", "slow"});
  CHECK(contains(outcome.out,
                 "mark6gather 4711 exp1_xx_no0001.vdif: 52.4 MB/s\n"
                 "    limited by disk 2/0: waiting for it 59 %\n"));
  CHECK(contains(outcome.out, "    disk 2/0 (sdi) is slow (certain): a read takes 66 ms"));
  const Words module = rows(outcome.out, "module").at(3);
  CHECK(Words(module.end() - 3, module.end()) == Words{"50.00", "80.50", "25.00"});
}

TEST_CASE("iostat: what several programs do to a disk is added up, the worst verdict counts",
          "[unit][tools][iostat]") {
  IostatMachine machine;
  four_disks(machine, FakeReads{});
  auto other = program_on_sdi(figures(500, 0), 10);
  other.pid = 4712;
  other.devices[0].recent.latency.p99_s = 0.2;
  other.devices[0].verdict.judgement = Judgement::kFine;
  machine.programs = {other, program_on_sdi(figures(1000, 5), 10)};
  const Words row = rows(machine.run({}).out, "2/0").at(0);
  CHECK(Words(row.end() - 4, row.end()) == Words{"150.00", "200.00", "50.00", "slow"});
}

TEST_CASE("iostat: disks that a program reads elsewhere are listed, not mixed up with ours",
          "[unit][tools][iostat]") {
  IostatMachine machine;
  four_disks(machine, FakeReads{});
  auto elsewhere = program_on_sdi(figures(1000, 5), 10);
  elsewhere.devices[0].identity.kernel_name = "sdz";
  elsewhere.devices[0].identity.number = DeviceNumber{65, 144};
  machine.programs = {elsewhere};
  const auto found = rows(machine.run({}).out, "2/0");
  REQUIRE(found.size() == 2);
  CHECK(found[0].at(1) == "sdi");
  CHECK(found[0].back() == "-");
  CHECK(found[1].at(1) == "sdz");
  CHECK(found[1].back() == "slow");

  const auto without_modules = machine.run_plain({"--root", "/nowhere/*"});
  CHECK(without_modules.code == ExitCode::kDelivered);
  CHECK(rows(without_modules.out, "2/0").size() == 1);
  machine.programs.clear();
  CHECK(machine.run_plain({"--root", "/nowhere/*"}).code == ExitCode::kNotFound);
}

TEST_CASE("iostat: without a program of ours the kernel's figures are judged, in parentheses",
          "[unit][tools][iostat]") {
  IostatMachine machine;
  const FakeReads healthy{400, 409'600, 8000, 3900, 7800};  // 10 ms a read
  const FakeReads slow{50, 51'200, 8000, 3900, 7800};
  four_disks(machine, FakeReads{});
  machine.steps = {[&] { four_disks(machine, {healthy, healthy, healthy, slow}); }};
  const auto outcome = machine.run({"-y", "4", "1"});
  CHECK(rows(outcome.out, "1/0").at(0).back() == "(fine)");
  CHECK(rows(outcome.out, "2/1").at(0).back() == "(slow)");
  CHECK(contains(outcome.out, "by the kernel's figures alone"));

  // Twice the time is no proof without knowing how the times are distributed, but never fine.
  machine.steps = {[&] {
    four_disks(machine, {{800, 819'200, 16'000, 7800, 15'600},
                         {800, 819'200, 16'000, 7800, 15'600},
                         {800, 819'200, 16'000, 7800, 15'600},
                         {50 + 200, 51'200 + 204'800, 16'000, 7800, 15'600}});
  }};
  const auto report = objects(machine.run({"-y", "--json", "4", "1"}).out).at(0);
  CHECK(report["devices"][3]["verdict"] == "unknown");
  CHECK(report["devices"][3]["verdict_by"] == "kernel");
  CHECK(report["devices"][3]["times_slower"].get<double>() == Approx(2).epsilon(0.01));
  CHECK(report["devices"][0]["verdict"] == "fine");
  CHECK(report["devices"][0]["confidence"].get<double>() <= 0.6);
}

TEST_CASE("iostat: idle disks and disks that are written to are not judged",
          "[unit][tools][iostat]") {
  IostatMachine machine;
  const FakeReads healthy{400, 409'600, 8000, 3900, 7800};
  FakeReads written{50, 51'200, 8000, 3900, 7800};
  written.writes = 30;
  four_disks(machine, FakeReads{});
  machine.steps = {[&] { four_disks(machine, {healthy, healthy, FakeReads{}, written}); }};
  const auto report = objects(machine.run({"-y", "--json", "4", "1"}).out).at(0);
  CHECK(report["devices"][2]["verdict"] == "unknown");
  CHECK(report["devices"][2]["reason"] == "no reads in 4.0 s");
  CHECK(report["devices"][3]["verdict"] == "unknown");
  CHECK(contains(report["devices"][3]["reason"], "it is written to"));
}

TEST_CASE("iostat: a disk that had little to do is not called fine", "[unit][tools][iostat]") {
  IostatMachine machine;
  four_disks(machine, FakeReads{});
  machine.steps = {[&] { four_disks(machine, {400, 409'600, 2000, 1000, 2000}); }};
  const auto report = objects(machine.run({"-y", "--json", "4", "1"}).out).at(0);
  CHECK(report["devices"][0]["verdict"] == "unknown");
  CHECK(contains(report["devices"][0]["reason"], "busy for 25 % of 4.0 s"));
}

TEST_CASE("iostat: the map has the letters of each module's disks, slow ones marked",
          "[unit][tools][iostat]") {
  IostatMachine machine;
  four_disks(machine, FakeReads{});
  machine.disk("3/0", "nvme0n1", "259:0");
  machine.disk("3/1", "sdaa", "65:160");
  machine.programs = {program_on_sdi(figures(1000, 5), 10)};
  auto suspect = program_on_sdi(figures(1000, 5), 10);
  suspect.devices[0].disk = "1";
  suspect.devices[0].identity.number = DeviceNumber{8, 144};
  suspect.devices[0].verdict.judgement = Judgement::kSuspect;
  machine.programs.push_back(suspect);
  const auto outcome = machine.run({"--map"});
  CHECK(contains(outcome.out,
                 "\nModule 1: g h\n"
                 "Module 2: [i] (j)\n"
                 "Module 3: nvme0n1 aa\n"
                 "1 [slow], 1 (suspect), 0 fine, 4 not known\n"
                 "    disk 2/0 (sdi) is slow (certain): "));
}

TEST_CASE("iostat: colours are for terminals that want them", "[unit][tools][iostat]") {
  IostatMachine machine;
  four_disks(machine, FakeReads{});
  machine.programs = {program_on_sdi(figures(1000, 5), 10)};
  CHECK_FALSE(contains(machine.run({}).out, "\033"));
  machine.tty = true;
  CHECK(contains(machine.run({}).out, "\033[1;31mslow\033[0m"));
  CHECK(contains(machine.run({"--map"}).out, "\033[1;31m[i]\033[0m"));
  CHECK_FALSE(contains(machine.run({"--json"}).out, "\033"));
  machine.variables = {{"NO_COLOR", "1"}};
  CHECK_FALSE(contains(machine.run({}).out, "\033"));
  machine.variables = {{"TERM", "dumb"}};
  CHECK_FALSE(contains(machine.run({}).out, "\033"));
}

TEST_CASE("iostat: the table fits into 100 columns", "[unit][tools][iostat]") {
  IostatMachine machine;
  std::string before;
  std::string after;
  for (int i = 0; i < 8; ++i) {
    const std::string name = "nvme" + std::to_string(i) + "n1";
    const std::string number = "259:" + std::to_string(i);
    machine.disk("1/" + std::to_string(i), name, number);
    before += IostatMachine::line(name, number, {});
    after += IostatMachine::line(name, number, {1500, 1'536'000, 45'000, 1000, 45'000});
  }
  machine.disk("2/0", "nvme0n1", "259:0");  // shared: marked
  machine.diskstats(before);
  machine.steps = {[&] { machine.diskstats(after); }};
  auto program = program_on_sdi(figures(123'456, 10'000), 10);
  program.devices[0].verdict.reason = "";
  program.streams.clear();
  program.devices[0].identity.kernel_name = "nvme0n1";
  program.devices[0].identity.number = DeviceNumber{259, 0};
  machine.programs = {program};
  const auto outcome = machine.run({"1", "2"});
  for (const std::string& line : lines(outcome.out)) {
    INFO(line);
    CHECK(line.size() <= 100);
  }
}

TEST_CASE("iostat: JSON is an object per report on a line of its own", "[unit][tools][iostat]") {
  IostatMachine machine;
  four_disks(machine, FakeReads{});
  machine.programs = {program_on_sdi(figures(1000, 5), 10)};
  machine.steps = {[&] { machine.programs = {program_on_sdi(figures(1100, 5.5), 12)}; },
                   [&] { machine.programs = {}; }};
  const auto reports = objects(machine.run({"--json", "2", "3"}).out);
  REQUIRE(reports.size() == 4);
  Words kinds;
  for (const auto& report : reports) {
    CHECK(report["schema"] == "mark6.iostat/1");
    CHECK(report["devices"].size() == 4);
    kinds.push_back(report["report"]);
  }
  CHECK(kinds == Words{"since_boot", "interval", "interval", "average"});
  CHECK(reports[0]["seconds"] == 1000.0);
  CHECK(reports[1]["seconds"] == 2.0);
  CHECK(reports[1]["programs"][0]["pid"] == 4711);
  const auto disk = reports[1]["devices"][2];
  CHECK(disk["module"] == "2");
  CHECK(disk["kernel_name"] == "sdi");
  CHECK(disk["ours"]["bytes_per_s"] == 50.0 * 1024 * 1024);
  CHECK(disk["ours"]["stall_share"] == 0.25);
  CHECK(disk["verdict"] == "slow");
  CHECK(disk["verdict_by"] == "program");
  CHECK(disk["block_share"] == 0.0325);
  for (const auto& column : iostat_columns()) {
    CHECK(disk["kernel"].contains(std::string(column.name)));
  }
  CHECK(reports[2]["devices"][2]["ours"].is_null());
  // It ran in the first of two intervals.
  CHECK(reports[3]["devices"][2]["ours"]["bytes_per_s"] == 25.0 * 1024 * 1024);
  CHECK(reports[3]["devices"][2]["verdict"] == "slow");
}

TEST_CASE("iostat: a device that the kernel does not count has no figures",
          "[unit][tools][iostat]") {
  IostatMachine machine;
  four_disks(machine, FakeReads{});
  machine.diskstats(IostatMachine::line("sdg", "8:96", {.requests = 1000}));
  const auto outcome = machine.run({"--json"});
  const auto report = objects(outcome.out).at(0);
  CHECK(report["devices"][0]["kernel"].is_object());
  CHECK(report["devices"][1]["kernel"].is_null());
  CHECK(rows(machine.run({}).out, "1/1").at(0).at(2) == "-");
}

TEST_CASE("iostat: reports are due at multiples of the interval, none is made up for",
          "[unit][tools][iostat]") {
  IostatMachine machine;
  four_disks(machine, FakeReads{});
  const auto nothing = [] {};
  const auto sleeps = [&] { machine.now_ns += 1'200'000'000; };
  machine.steps = {nothing, sleeps, nothing, nothing};
  CHECK(machine.run({"-y", "0.5", "4"}).code == ExitCode::kDelivered);
  CHECK(machine.deadlines ==
        std::vector<std::int64_t>{500'000'000, 1'000'000'000, 2'500'000'000, 3'000'000'000});
}

TEST_CASE("iostat: stopped without a COUNT it has done what it was asked to do",
          "[unit][tools][iostat]") {
  IostatMachine machine;
  four_disks(machine, FakeReads{});
  machine.steps = {[] {}, [] {}};
  const auto endless = machine.run({"-y", "1"});
  CHECK(endless.code == ExitCode::kDelivered);
  CHECK(count(endless.out, "DISK ") == 3);
  CHECK(contains(endless.out, "average of 2.00 s"));
  const auto counted = machine.run({"-y", "1", "3"});
  CHECK(counted.code == ExitCode::kInterrupted);
  CHECK(contains(counted.out, "average of 2.00 s"));
  machine.steps.clear();
  CHECK(machine.run({"1"}).code == ExitCode::kDelivered);
}

TEST_CASE("iostat: COUNT counts the report since boot unless -y leaves it out",
          "[unit][tools][iostat]") {
  IostatMachine machine;
  four_disks(machine, FakeReads{});
  machine.steps = {[] {}};
  const auto both = machine.run({"1", "2"});
  CHECK(count(both.out, "DISK ") == 2);
  CHECK(contains(both.out, "since boot"));
  const auto second = machine.run({"-y", "1", "1"});
  CHECK(count(second.out, "DISK ") == 1);
  CHECK_FALSE(contains(second.out, "since boot"));
  CHECK(count(machine.run({"1", "1"}).out, "since boot") == 1);
}

TEST_CASE("iostat: mistakes on the command line are told, with what to do",
          "[unit][tools][iostat]") {
  IostatMachine machine;
  four_disks(machine, FakeReads{});
  const auto& [args, says] = GENERATE(table<Words, std::string>({
      {{"0"}, "0.1 s to a year"},
      {{"0.05"}, "0.1 s to a year"},
      {{"1e9"}, "0.1 s to a year"},
      {{"nan"}, "seconds, as 1 or 0.5"},
      {{"sdg"}, "seconds, as 1 or 0.5"},
      {{"1s"}, "seconds, as 1 or 0.5"},
      {{"1", "0"}, "1 or more"},
      {{"1", "-1"}, "no such option"},
      {{"1", "2.5"}, "1 or more"},
      {{"1", "2", "3"}, "one word too many"},
      {{"--map", "--json"}, "excludes"},
      {{"-k", "-m"}, "excludes"},
      {{"--what"}, "no such option"},
  }));
  const auto outcome = machine.run(args);
  CHECK(outcome.code == ExitCode::kUsage);
  CHECK(outcome.out.empty());
  INFO(outcome.err);
  CHECK(contains(outcome.err, says));
}

TEST_CASE("iostat: without /proc it says so", "[unit][tools][iostat]") {
  IostatMachine machine;
  machine.disk("1/0", "sdg", "8:96");  // no diskstats
  const auto outcome = machine.run({});
  CHECK(outcome.code == ExitCode::kNotFound);
  CHECK(contains(outcome.err, "mount /proc"));
}
