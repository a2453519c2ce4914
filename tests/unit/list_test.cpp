// SPDX-License-Identifier: MIT
// `mark6 list` as a whole: arguments in, exit code, stdout and stderr out.
#include <sys/resource.h>

#include <nlohmann/json.hpp>

#include "common/base/escape.hpp"
#include "common/base/time_text.hpp"
#include "tests/support/program_run.hpp"
#include "tests/unit/catalog_fixture.hpp"
#include "tools/subcommands.hpp"

using namespace mark6;
using test::contains;
using test::lines;
using test::Outcome;
using test::run_program;

namespace {

/// Lists what lies below `dir`.
Outcome list(const test::TempDir& dir, std::vector<std::string> args = {}) {
  args.insert(args.begin(), {"list", "--root", dir / "*/*"});
  return run_program(std::move(args));
}

/// Six blocks over three disks, complete.
void write_scan(const test::TempDir& dir, const std::string& name) {
  dir.write("1/0/data/" + name, test::fragment({0, 3}));
  dir.write("1/1/data/" + name, test::fragment({1, 4}));
  dir.write("2/0/data/" + name, test::fragment({2, 5}));
}

}  // namespace

TEST_CASE("list: complete scans are a line each, in the order of their names", "[unit]") {
  const test::TempDir dir;
  write_scan(dir, "exp_b.vdif");
  write_scan(dir, "exp_a.vdif");
  const Outcome outcome = list(dir);
  CHECK(outcome.code == ExitCode::kDelivered);
  CHECK(outcome.err.empty());
  CHECK(lines(outcome.out) ==
        std::vector<std::string>{
            "SCAN           SIZE  START               MODULES  FRAGMENTS  BLOCKS  STATE",
            "exp_a.vdif  24.8 kB  2015y080d08h35m03s  1,2              3       6  complete",
            "exp_b.vdif  24.8 kB  2015y080d08h35m03s  1,2              3       6  complete"});
}

TEST_CASE("list: missing blocks are holes, told as ranges and by the exit code", "[unit]") {
  const test::TempDir dir;
  dir.write("1/0/data/a.vdif", test::fragment({0, 1, 4}));
  dir.write("1/1/data/a.vdif", test::fragment({6, 7, 8, 9}));
  const Outcome outcome = list(dir, {"-l"});
  CHECK(outcome.code == ExitCode::kDamaged);
  CHECK(contains(lines(outcome.out).at(1), "holes"));
  CHECK(contains(outcome.out, "    missing: 3 of 10 blocks (30 %): 2-3, 5\n"));
  CHECK(contains(outcome.out, "    blocks per disk: 1/0 3, 1/1 4\n"));
}

TEST_CASE("list: a cut block makes a scan damaged, and -l names the disk and the block", "[unit]") {
  const test::TempDir dir;
  write_scan(dir, "a.vdif");
  std::filesystem::resize_file(dir / "1/1/data/a.vdif",
                               20 + 2 * (8 + test::kPayloadBytes) - test::kPacketBytes - 100);
  const Outcome outcome = list(dir, {"--long"});
  CHECK(outcome.code == ExitCode::kDamaged);
  CHECK(contains(lines(outcome.out).at(1), "damaged"));
  CHECK(contains(outcome.out, "    1/1: last block 4 cut, 2064 of 4128 bytes usable\n"));
}

TEST_CASE("list: a block in two places is told with both places", "[unit]") {
  const test::TempDir dir;
  dir.write("1/0/data/a.vdif", test::fragment({0, 1}));
  dir.write("1/1/data/a.vdif", test::fragment({1, 2}));
  const Outcome outcome = list(dir, {"-l"});
  CHECK(outcome.code == ExitCode::kDamaged);
  CHECK(contains(outcome.out, "block 1 stands twice: 1/0 (taken) and 1/1"));
}

TEST_CASE("list: disks without a fragment are known from directories and metadata", "[unit]") {
  const test::TempDir dir;
  write_scan(dir, "a.vdif");
  dir.mkdir("1/2/data");
  for (const char* disk : {"0", "1", "2"}) {
    dir.write(std::string(".meta/1/") + disk + "/eMSN", "LBO%0001/32000/4/4");
    dir.write(std::string(".meta/1/") + disk + "/group", "2:LBO%0001/32000/4/4:LBO%0002/32000/4/4");
  }
  const Outcome outcome = list(dir, {"-l"});
  CHECK(outcome.code == ExitCode::kDelivered);
  CHECK(contains(outcome.out, "    1/2: no fragment\n"));  // its directory is there
  CHECK(contains(outcome.out, "    1/3: no fragment\n"));  // only the metadata know it
  CHECK(contains(outcome.out, "module LBO%0002 of the same group is not in view"));
}

TEST_CASE("list: scans are picked by name, with or without .vdif, or by pattern", "[unit]") {
  const test::TempDir dir;
  for (const char* name : {"exp_a.vdif", "exp_b.vdif", "other"}) write_scan(dir, name);
  CHECK(lines(list(dir, {"exp_a"}).out).size() == 2);
  CHECK(lines(list(dir, {"exp_a.vdif", "exp_*", "exp_a"}).out).size() == 3);
  CHECK(lines(list(dir, {"other.vdif"}).out).size() == 2);
}

TEST_CASE("list: brackets and dashes in a name are part of the name", "[unit]") {
  const test::TempDir dir;
  write_scan(dir, "[a,b]");
  write_scan(dir, "--strange");
  CHECK(contains(list(dir, {"[a,b]"}).out, "\n[a,b] "));
  CHECK(contains(list(dir, {"--", "--strange"}).out, "\n--strange "));
}

TEST_CASE("list: a name that fits nothing is exit 3 with the nearest names", "[unit]") {
  const test::TempDir dir;
  write_scan(dir, "exp1_st_no0001.vdif");
  write_scan(dir, "quite-different.vdif");
  const Outcome outcome = list(dir, {"exp1_st_no001"});
  CHECK(outcome.code == ExitCode::kNotFound);
  CHECK(outcome.out.empty());
  CHECK(contains(outcome.err, "exp1_st_no001: no scan of that name; 2 scans on 3 disks"));
  CHECK(contains(outcome.err, "nearest: exp1_st_no0001.vdif"));
  CHECK_FALSE(contains(outcome.err, "quite"));
  // Those that are there are listed all the same.
  const Outcome both = list(dir, {"nothing", "quite*"});
  CHECK(both.code == ExitCode::kNotFound);
  CHECK(lines(both.out).size() == 2);
}

TEST_CASE("list: no modules is exit 3, modules without scans are not an error", "[unit]") {
  const test::TempDir dir;
  const Outcome none = list(dir);
  CHECK(none.code == ExitCode::kNotFound);
  CHECK(contains(none.err, "no such directory"));
  dir.mkdir("1/0/data");
  const Outcome empty = list(dir);
  CHECK(empty.code == ExitCode::kDelivered);
  CHECK(contains(empty.err, "no scans on 1 disks"));
  CHECK(list(dir, {"-q"}).err.empty());
}

TEST_CASE("list: names cannot send control characters to the terminal", "[unit]") {
  const test::TempDir dir;
  write_scan(dir, "a\x1b[31m\xff.vdif");
  CHECK(contains(list(dir).out, "\na\\x1b[31m\\xff.vdif "));
}

TEST_CASE("list: --json is one object with the state of each scan and fragment", "[unit]") {
  const test::TempDir dir;
  write_scan(dir, "a.vdif");
  dir.write("1/1/data/b\xff", test::fragment({4, 7}));
  const Outcome outcome = list(dir, {"--json"});
  CHECK(outcome.code == ExitCode::kDamaged);
  CHECK(lines(outcome.out).size() == 1);
  CHECK(outcome.out.back() == '\n');
  const auto answer = nlohmann::json::parse(outcome.out);
  CHECK(answer["schema"] == "mark6.list/1");
  REQUIRE(answer["scans"].size() == 2);
  const auto& a = answer["scans"][0];
  CHECK(a["name"] == "a.vdif");
  CHECK(a["size_bytes"] == 6 * test::kPayloadBytes);
  CHECK(a["blocks"] == 6);
  CHECK(a["missing"].empty());
  CHECK(a["state"] == "complete");
  CHECK(a["start"] == "2015-03-21T08:35:03Z");
  CHECK(a["packet_size"] == test::kPacketBytes);
  CHECK(a["modules"] == std::vector<std::string>{"1", "2"});
  CHECK(a["duplicates"] == 0);
  REQUIRE(a["fragments"].size() == 3);
  const auto& fragment = a["fragments"][1];
  CHECK(fragment["path"] == dir / "1/1/data/a.vdif");
  CHECK(fragment["module"] == "1");
  CHECK(fragment["disk"] == "1");
  CHECK(fragment["size_bytes"] == 20 + 2 * (8 + test::kPayloadBytes));
  CHECK(fragment["blocks"] == 2);
  CHECK(fragment["payload_bytes"] == 2 * test::kPayloadBytes);
  CHECK(fragment["use"] == "used");
  CHECK(fragment["damage"].empty());
  const auto& b = answer["scans"][1];
  CHECK(b["name"] == "b\xEF\xBF\xBD");
  CHECK(b["missing"] == std::vector<std::vector<int>>{{5, 6}});
  CHECK(b["first_block"] == 4);
  CHECK(b["state"] == "holes");
}

TEST_CASE("list: more fragments than descriptors are no problem", "[unit]") {
  const test::TempDir dir;
  constexpr int kScans = 60;
  for (int scan = 0; scan < kScans; ++scan) {
    for (std::uint32_t disk = 0; disk < 8; ++disk) {
      dir.write("1/" + std::to_string(disk) + "/data/" + std::to_string(scan),
                test::fragment({disk}));
    }
  }
  struct rlimit before {};
  REQUIRE(::getrlimit(RLIMIT_NOFILE, &before) == 0);
  const struct rlimit tight { 64, before.rlim_max };
  REQUIRE(::setrlimit(RLIMIT_NOFILE, &tight) == 0);
  const Outcome outcome = list(dir);
  REQUIRE(::setrlimit(RLIMIT_NOFILE, &before) == 0);
  CHECK(outcome.err.empty());
  CHECK(outcome.code == ExitCode::kDelivered);
  CHECK(lines(outcome.out).size() == kScans + 1);
}

TEST_CASE("list: a request to stop ends it with exit 5 and no half answer", "[unit]") {
  const test::TempDir dir;
  write_scan(dir, "a.vdif");
  std::stop_source stop;
  stop.request_stop();
  const Outcome outcome = run_program({"list", "--root", dir / "*/*"}, stop.get_token());
  CHECK(outcome.code == ExitCode::kInterrupted);
  CHECK(outcome.out.empty());
}

TEST_CASE("list: help fits on a screen and goes to stdout, mistakes to stderr", "[unit]") {
  const Outcome help = run_program({"list", "--help"});
  CHECK(help.code == ExitCode::kDelivered);
  CHECK(lines(help.out).size() <= 24);
  for (const std::string& line : lines(help.out)) CHECK(line.size() <= 100);
  CHECK(contains(help.out, "usage: mark6 list [options] [SCAN|PATTERN...]"));
  CHECK(contains(help.out, "examples:"));
  for (const std::vector<std::string>& args : std::vector<std::vector<std::string>>{
           {"list", "--nonsense"}, {"list", "--root"}, {"list", "-q", "-v"}, {"list", "-x", "a"}}) {
    const Outcome mistake = run_program(args);
    CAPTURE(args, mistake.err);
    CHECK(mistake.code == ExitCode::kUsage);
    CHECK(mistake.out.empty());
    CHECK(lines(mistake.err).size() == 1);
  }
  CHECK(run_program({"list", "--version"}).out == "mark6 " MARK6_VERSION "\n");
}

TEST_CASE("mark6: the subcommand is named first, and --help names them all", "[unit]") {
  CHECK(run_program({}).code == ExitCode::kUsage);
  CHECK(run_program({"nonsense"}).code == ExitCode::kUsage);
  CHECK(contains(run_program({"nonsense"}).err, "nonsense: no such subcommand"));
  CHECK(contains(run_program({"--help"}).out, "  list "));
  CHECK(run_program({"--version"}).out == "mark6 " MARK6_VERSION "\n");
}

TEST_CASE("time text: days of the year count from 1, leap years included", "[unit]") {
  CHECK(vlbi_time(0) == "1970y001d00h00m00s");
  CHECK(vlbi_time(1'426'926'903) == "2015y080d08h35m03s");
  CHECK(vlbi_time(1'609'459'199) == "2020y366d23h59m59s");
  CHECK(iso_time(1'426'926'903) == "2015-03-21T08:35:03Z");
}
