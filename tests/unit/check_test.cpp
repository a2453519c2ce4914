// SPDX-License-Identifier: MIT
// `mark6 check` as a whole: arguments in, exit code, stdout and stderr out.
#include <nlohmann/json.hpp>

#include "tests/support/program_run.hpp"
#include "tests/unit/catalog_fixture.hpp"

using namespace mark6;
using test::contains;
using test::lines;
using test::Outcome;
using test::run_program;

namespace {

Outcome check(const test::TempDir& dir, std::vector<std::string> args = {}) {
  args.insert(args.begin(), {"check", "--root", dir / "*/*"});
  return run_program(args);
}

nlohmann::json check_json(const test::TempDir& dir) {
  const auto answer = nlohmann::json::parse(check(dir, {"--json"}).out);
  CHECK(answer["schema"] == "mark6.check/1");
  return answer;
}

int code_of(const Outcome& outcome) { return static_cast<int>(outcome.code); }

}  // namespace

TEST_CASE("check: a healthy scan is clean, a line per disk with its share of blocks", "[unit]") {
  const test::TempDir dir;
  dir.write("1/0/data/a.vdif", test::fragment({0, 2, 3}));
  dir.write("1/1/data/a.vdif", test::fragment({1}));
  const Outcome outcome = check(dir);
  CHECK(code_of(outcome) == 0);
  CHECK(outcome.err.empty());
  CHECK(lines(outcome.out) ==
        std::vector<std::string>{
            "a.vdif: clean, 16512 bytes (16.5 kB) in 4 blocks of 0-3, packets of 1032 bytes, from "
            "2015y080d08h35m03s",
            "    DISK     FILE  BLOCKS   SHARE  STATE", "    1/0   12.4 kB       3  75.0 %  ok",
            "    1/1   4.16 kB       1  25.0 %  ok"});
}

TEST_CASE("check: missing blocks are ranges, and bit 8", "[unit]") {
  const test::TempDir dir;
  dir.write("1/0/data/a.vdif", test::fragment({0, 1, 4, 6}));
  const Outcome outcome = check(dir);
  CHECK(code_of(outcome) == 1 + 8);
  CHECK(contains(outcome.out, "    missing: 3 of 7 blocks (42.9 %): 2-3, 5\n"));
}

TEST_CASE("check: a block in two places is told with both, and whether the bytes agree", "[unit]") {
  const test::TempDir dir;
  const std::string other = test::payload(99);
  dir.write("1/0/data/a.vdif", test::fragment({0, 1}));
  dir.write("1/1/data/a.vdif", test::file_header() + test::block(1, test::payload(1)) +
                                   test::block(2, test::payload(2)));
  dir.write("1/2/data/a.vdif", test::file_header() + test::block(2, other));
  const Outcome outcome = check(dir);
  CHECK(code_of(outcome) == 1 + 32);
  CHECK(
      contains(outcome.out, "block 1 stands twice: 1/0 at byte 4164 (taken) and 1/1 at byte 28\n"));
  CHECK(contains(outcome.out, "block 2 stands twice, with different bytes: 1/1 at byte 4164"));
  const auto twice = check_json(dir)["scans"][0]["structure"]["duplicates"];
  REQUIRE(twice.size() == 2);
  CHECK(twice[0]["payloads"] == "equal");
  CHECK(twice[1]["payloads"] == "different");
  CHECK(twice[1]["kept"]["offset"] == 4164);
  CHECK(twice[1]["dropped"]["bytes"] == test::kPayloadBytes);
}

TEST_CASE("check: of headers that disagree it is said in what", "[unit]") {
  const test::TempDir dir;
  dir.write("1/0/data/a.vdif", test::fragment({0}));
  dir.write("1/1/data/a.vdif", test::fragment({1}));
  dir.write("1/2/data/a.vdif", test::file_header(516) + test::block(2, test::payload(2)));
  const Outcome outcome = check(dir);
  CHECK(code_of(outcome) == 1 + 32);
  CHECK(contains(outcome.out,
                 "1/2: left out, its header disagrees: packet_size 516, the others 1032\n"));
  const auto one = check_json(dir)["scans"][0]["structure"]["header_disagreements"].at(0);
  CHECK(one["field"] == "packet_size");
  CHECK(one["value"] == 516);
  CHECK(one["majority"] == 1032);
}

TEST_CASE("check: truncated, misplaced and lost stretches are counted", "[unit]") {
  const test::TempDir dir;
  const std::string whole = test::fragment({0, 5, 2, 6});
  dir.write("1/0/data/a.vdif", whole.substr(0, whole.size() - 100));
  std::string broken = test::fragment({1, 3, 4, 7});
  const std::size_t header = 20 + 8 + test::kPayloadBytes;
  broken.replace(header, 8 + test::kPayloadBytes, 8 + test::kPayloadBytes, '\xAA');
  dir.write("1/1/data/a.vdif", broken);
  const auto scan = check_json(dir)["scans"][0];
  CHECK(scan["exit_bits"] == 1 + 8 + 32);
  CHECK(scan["structure"]["truncated_blocks"] == 1);
  CHECK(scan["structure"]["out_of_order_blocks"] == 1);
  CHECK(scan["structure"]["resynchronisations"] == 1);
  CHECK(scan["structure"]["lost_bytes"] == 8 + test::kPayloadBytes);
  CHECK(scan["missing"] == nlohmann::json::parse("[[3,3]]"));
}

TEST_CASE("check: disks without a fragment and modules out of view are bit 16", "[unit]") {
  const test::TempDir dir;
  dir.write("1/0/data/a.vdif", test::fragment({0, 1}));
  dir.write(".meta/1/0/disk_sn", "0:S0\n1:S1\n");
  dir.write(".meta/1/0/eMSN", "LBO%0001/8000/4/2");
  dir.write(".meta/1/0/group", "2:LBO%0001/8000/4/2:LBO%0002/8000/4/2");
  const Outcome outcome = check(dir);
  CHECK(code_of(outcome) == 1 + 16);
  CHECK(contains(outcome.out, "1/1: no fragment\n"));
  CHECK(contains(outcome.out, "module LBO%0002 of the same group is not in view\n"));
}

TEST_CASE("check: a disk that was slow while recording is told, and is no damage", "[unit]") {
  const test::TempDir dir;
  std::vector<std::vector<std::uint32_t>> numbers(5);
  for (std::uint32_t i = 0; i < 400; ++i) numbers[i % 80 < 8 ? 4 : i % 4].push_back(i);
  for (std::size_t disk = 0; disk < numbers.size(); ++disk) {
    dir.write("1/" + std::to_string(disk) + "/data/a.vdif", test::fragment(numbers[disk]));
  }
  const Outcome outcome = check(dir);
  CHECK(code_of(outcome) == 0);
  CHECK(contains(lines(outcome.out).at(6), "ok; was slow while recording: 40 blocks"));
  CHECK(check_json(dir)["scans"][0]["structure"]["shares"][4]["slow_while_recording"] == true);
}

TEST_CASE("check: a name that fits nothing is exit 3, with what was found besides", "[unit]") {
  const test::TempDir dir;
  dir.write("1/0/data/a.vdif", test::fragment({0, 2}));
  const Outcome outcome = check(dir, {"a", "b"});
  CHECK(code_of(outcome) == 3 + 8);
  CHECK(contains(outcome.err, "b: no scan of that name"));
  CHECK(contains(outcome.out, "a.vdif: holes"));
}

TEST_CASE("check: progress goes to a terminal only, and goes away", "[unit]") {
  const test::TempDir dir;
  dir.write("1/0/data/a.vdif", test::fragment({0}));
  const std::vector<std::string> args{"check", "--root", dir / "*/*"};
  CHECK(run_program(args).err.empty());
  CHECK(run_program(args, {}, /*terminal=*/true).err.ends_with("\r\033[K"));
  const std::vector<std::string> quiet{"check", "-q", "--root", dir / "*/*"};
  CHECK(run_program(quiet, {}, /*terminal=*/true).err.empty());
}

TEST_CASE("check: a request to stop ends it with exit 5 and no half answer", "[unit]") {
  const test::TempDir dir;
  dir.write("1/0/data/a.vdif", test::fragment({0}));
  std::stop_source stop;
  stop.request_stop();
  const Outcome outcome = run_program({"check", "--root", dir / "*/*"}, stop.get_token());
  CHECK(outcome.code == ExitCode::kInterrupted);
  CHECK(outcome.out.empty());
}

TEST_CASE("check: help fits on a screen, mistakes are exit 2", "[unit]") {
  const Outcome help = run_program({"check", "--help"});
  CHECK(help.code == ExitCode::kDelivered);
  CHECK(lines(help.out).size() <= 28);
  for (const std::string& line : lines(help.out)) CHECK(line.size() <= 100);
  CHECK(run_program({"check", "-q", "-v"}).code == ExitCode::kUsage);
  CHECK(run_program({"check", "--nonsense"}).code == ExitCode::kUsage);
}
