// SPDX-License-Identifier: MIT
// The cases in which recordings are met in the field (the table in docs/reference/format.md), one
// test each, named after its row: what a user gets of it from mark6 list, mark6gather and mark6
// check.
#include <filesystem>
#include <nlohmann/json.hpp>

#include "common/base/escape.hpp"
#include "tests/unit/catalog_fixture.hpp"
#include "tests/unit/gather_fixture.hpp"

using namespace mark6;
using nlohmann::json;
using test::block;
using test::contains;
using test::file_header;
using test::fragment;
using test::kPacketBytes;
using test::kPayloadBytes;
using test::payload;
using test::TempDir;

namespace {

/// What the programs say of one scan.
struct Told {
  json list;  ///< the scan's object
  int list_code = 0;
  json check;
  int check_code = 0;
  test::Outcome gathered;

  [[nodiscard]] int gather_code() const { return static_cast<int>(gathered.code); }
  [[nodiscard]] std::vector<std::string> findings() const {
    return check["findings"].get<std::vector<std::string>>();
  }
};

json only_scan(const test::Outcome& outcome) {
  json scans = json::parse(outcome.out)["scans"];
  REQUIRE(scans.size() == 1);
  return scans[0];
}

Told tell(const TempDir& dir, const std::string& name = "a.vdif") {
  Told told;
  const std::string root = dir / "*/*";
  const test::Outcome listed = test::run_program({"list", "--json", "--root", root, "--", name});
  told.list_code = static_cast<int>(listed.code);
  told.list = only_scan(listed);
  const test::Outcome checked = test::run_program({"check", "--json", "--root", root, "--", name});
  told.check_code = static_cast<int>(checked.code);
  told.check = only_scan(checked);
  told.gathered = test::gather({"--root=" + root, "-v", name, "-"});
  return told;
}

/// A scan that is whole: nothing is told of it, and these are its bytes.
void is_clean(const Told& told, const std::string& bytes) {
  CHECK(told.list["state"] == "complete");
  CHECK(told.list["size_bytes"] == bytes.size());
  CHECK(told.list_code == 0);
  CHECK(told.gather_code() == 0);
  CHECK((told.gathered.out == bytes));
  CHECK(contains(told.gathered.err, "holes: none"));
  CHECK(told.findings() == std::vector<std::string>{});
  CHECK(told.check_code == 0);
}

/// A scan that is damaged or has holes, and gives these bytes nonetheless.
void is_told(const Told& told, const std::string& state, int bits, const std::string& bytes) {
  CHECK(told.list["state"] == state);
  CHECK(told.list["size_bytes"] == bytes.size());
  CHECK(told.list_code == 1);
  CHECK(told.gather_code() == 1);
  CHECK((told.gathered.out == bytes));
  CHECK(told.check_code == bits);
}

std::string payloads(const std::vector<std::uint32_t>& numbers) {
  std::string bytes;
  for (const std::uint32_t number : numbers) bytes += payload(number);
  return bytes;
}

/// The first `packets` packets of block `number`.
std::string part(std::uint32_t number, std::size_t packets) {
  return payload(number).substr(0, packets * kPacketBytes);
}

constexpr int kMissing = 1 + 8;
constexpr int kStructure = 1 + 32;

}  // namespace

TEST_CASE("format case 1: a short block, last or anywhere, counts as long as it is", "[unit]") {
  const TempDir dir;
  dir.write("1/0/data/a.vdif", file_header() + block(0, part(0, 2)) + block(2, payload(2)));
  dir.write("1/1/data/a.vdif", file_header() + block(1, payload(1)) + block(3, part(3, 1)));
  is_clean(tell(dir), part(0, 2) + payload(1) + payload(2) + part(3, 1));
}

TEST_CASE("format case 2: of a truncated last block the whole packets are delivered", "[unit]") {
  const TempDir dir;
  dir.write("1/0/data/a.vdif", fragment({0, 2}));
  const std::string whole = fragment({1, 3});
  dir.write("1/1/data/a.vdif", whole.substr(0, whole.size() - kPacketBytes - 100));
  const Told told = tell(dir);
  is_told(told, "damaged", kStructure, payloads({0, 1, 2}) + part(3, 2));
  CHECK(contains(told.gathered.err, "last block 3 cut, 2064 of 4128 bytes usable"));
  CHECK(told.findings() ==
        std::vector<std::string>{"1/1: last block 3 cut, 2064 of 4128 bytes usable"});
  CHECK(told.check["structure"]["truncated_blocks"] == 1);
}

TEST_CASE("format case 3: less than a block header left is ignored and told", "[unit]") {
  const TempDir dir;
  dir.write("1/0/data/a.vdif", fragment({0, 1}) + "12345");
  const Told told = tell(dir);
  is_told(told, "damaged", kStructure, payloads({0, 1}));
  CHECK(contains(told.gathered.err, "5 bytes left over at the end"));
  CHECK(told.findings() == std::vector<std::string>{"1/0: 5 bytes left over at the end"});
}

TEST_CASE("format case 4: an empty fragment is listed, and the scan works", "[unit]") {
  const TempDir dir;
  dir.write("1/0/data/a.vdif", fragment({0, 1}));
  dir.write("1/1/data/a.vdif", "");
  dir.write("1/2/data/a.vdif", "19 bytes, no header");
  const Told told = tell(dir);
  is_told(told, "damaged", kStructure, payloads({0, 1}));
  CHECK(told.list["fragments"][1]["use"] == "empty");
  CHECK(told.list["fragments"][2]["use"] == "empty");
  CHECK(contains(told.gathered.err, "empty fragment"));
  CHECK(told.findings() == std::vector<std::string>{"1/1: empty fragment", "1/2: empty fragment"});
}

TEST_CASE("format case 5: a missing disk costs its blocks, and is named", "[unit]") {
  const TempDir dir;
  dir.write("1/0/data/a.vdif", fragment({0, 3}));
  dir.write("1/1/data/a.vdif", fragment({1, 4}));
  dir.write(".meta/1/0/disk_sn", "0:S0\n1:S1\n2:S2\n");
  const Told told = tell(dir);
  is_told(told, "holes", kMissing + 16, payloads({0, 1, 3, 4}));
  CHECK(told.list["missing"] == json::parse("[[2,2]]"));
  CHECK(told.list["absent_disks"] == json::parse(R"(["1/2"])"));
  CHECK(contains(told.gathered.err, "holes: 1 of 5 blocks missing (20 %): 2"));
  CHECK(told.findings() == std::vector<std::string>{"1/2: no fragment"});
}

TEST_CASE("format case 6: of a block in two places the first is kept, and both are told",
          "[unit]") {
  const TempDir dir;
  dir.write("1/0/data/a.vdif", fragment({0, 1, 2}));
  dir.write("1/1/data/a.vdif",
            file_header() + block(1, payload(1)) + block(2, payload(77)) + block(3, payload(3)));
  const Told told = tell(dir);
  is_told(told, "damaged", kStructure, payloads({0, 1, 2, 3}));
  CHECK(told.list["duplicates"] == 2);
  CHECK(contains(told.gathered.err, "block 1 stands twice: delivered from 1/0"));
  CHECK(told.findings() ==
        std::vector<std::string>{
            "block 1 stands twice: 1/0 at byte 4164 (taken) and 1/1 at byte 28",
            "block 2 stands twice, with different bytes: 1/0 at byte 8300 (taken) and 1/1 at byte "
            "4164"});
}

TEST_CASE("format case 7: numbers that do not ascend are sorted and told", "[unit]") {
  const TempDir dir;
  dir.write("1/0/data/a.vdif", fragment({0, 4, 2, 5}));
  dir.write("1/1/data/a.vdif", fragment({1, 3}));
  const Told told = tell(dir);
  is_told(told, "damaged", kStructure, payloads({0, 1, 2, 3, 4, 5}));
  CHECK(contains(told.gathered.err, "block 2: out of order"));
  CHECK(told.check["structure"]["out_of_order_blocks"] == 1);
}

TEST_CASE("format case 8: the first number need not be 0, and is told", "[unit]") {
  const TempDir dir;
  dir.write("1/0/data/a.vdif", fragment({1000, 1002}));
  dir.write("1/1/data/a.vdif", fragment({1001}));
  const Told told = tell(dir);
  is_clean(told, payloads({1000, 1001, 1002}));
  CHECK(told.list["first_block"] == 1000);
}

TEST_CASE("format case 12: a wrong length is walked over, lost bytes are told", "[unit]") {
  const TempDir dir;
  std::string wrong = fragment({0, 2, 4});
  wrong.replace(20 + 4, 4, test::le32(0xFFFFFFFBU));  // the length of block 0 is -5
  dir.write("1/0/data/a.vdif", wrong);
  std::string gone = fragment({1, 3, 5});
  const std::size_t step = 8 + kPayloadBytes;
  gone.replace(20 + step, step, step, '\xAA');
  dir.write("1/1/data/a.vdif", gone);
  const Told told = tell(dir);
  is_told(told, "damaged", kStructure + 8, payloads({0, 1, 2, 4, 5}));
  CHECK(contains(told.gathered.err, "block 0: wrong block length"));
  CHECK(told.findings() ==
        std::vector<std::string>{"1/0: block 0: wrong block length",
                                 "1/1: 4136 bytes at offset 4156 belong to no block"});
}

TEST_CASE("format case 13: a bad sync word is no Mark6 fragment", "[unit]") {
  const TempDir dir;
  dir.write("1/0/data/a.vdif", fragment({0, 2}));
  std::string bad = fragment({1, 3});
  bad[0] = 'X';
  dir.write("1/1/data/a.vdif", bad);
  const Told told = tell(dir);
  is_told(told, "damaged", kStructure + 8, payloads({0, 2}));
  CHECK(told.list["fragments"][1]["use"] == "not_scatter_gather");
  CHECK(told.findings() == std::vector<std::string>{"1/1: no Mark6 header"});
}

TEST_CASE("format case 14: a plain VDIF file is a scan of one fragment", "[unit]") {
  const TempDir dir;
  dir.write("1/0/data/a.vdif", fragment({0}));
  dir.write("1/0/data/raid.vdif", payloads({0, 1, 2}));
  is_clean(tell(dir, "raid.vdif"), payloads({0, 1, 2}));
  is_clean(tell(dir), payload(0));
}

TEST_CASE("format case 15: of a recording that grows what is there is delivered", "[unit]") {
  const TempDir dir;
  const std::string first = fragment({0, 2, 4});
  dir.write("1/0/data/a.vdif", first.substr(0, first.size() - kPayloadBytes));  // 4 comes in
  dir.write("1/1/data/a.vdif", fragment({1, 3}));
  is_told(tell(dir), "damaged", kStructure, payloads({0, 1, 2, 3}));
  dir.write("1/0/data/a.vdif", first);
  is_clean(tell(dir), payloads({0, 1, 2, 3, 4}));
}

TEST_CASE("format case 16: no index outlives a program, so that none is stale", "[unit]") {
  const TempDir dir;
  dir.write("1/0/data/a.vdif", fragment({0, 1}));
  is_clean(tell(dir), payloads({0, 1}));
  // Another recording of the same name, size and date.
  const auto date = std::filesystem::last_write_time(dir / "1/0/data/a.vdif");
  dir.write("1/0/data/a.vdif", fragment({7, 8}));
  std::filesystem::last_write_time(dir / "1/0/data/a.vdif", date);
  is_clean(tell(dir), payloads({7, 8}));
}

// Errors of disks are made by tests/unit/fault_read_test.cpp (EIO in a payload) and, in a header,
// by "fragment walk: a read error ends the walk and keeps what was found".
TEST_CASE("format case 17: a fragment that cannot be opened leaves the others usable", "[unit]") {
  const TempDir dir;
  dir.write("1/0/data/a.vdif", fragment({0, 1, 2}));
  dir.write("1/1/data/a.vdif", fragment({3}));
  std::filesystem::permissions(dir / "1/1/data/a.vdif", std::filesystem::perms::none);
  if (::access((dir / "1/1/data/a.vdif").c_str(), R_OK) == 0) return;  // root may read all
  const Told told = tell(dir);
  is_told(told, "damaged", kStructure, payloads({0, 1, 2}));
  CHECK(contains(told.findings().at(0), "Permission denied"));
}

TEST_CASE("format case 18: block numbers up to 2^31 are no problem", "[unit]") {
  const TempDir dir;
  dir.write("1/0/data/a.vdif", fragment({0x7FFFFFFD, 0x7FFFFFFF}));
  dir.write("1/1/data/a.vdif", fragment({0x7FFFFFFE}));
  const Told told = tell(dir);
  is_clean(told, payloads({0x7FFFFFFD, 0x7FFFFFFE, 0x7FFFFFFF}));
  CHECK(told.list["last_block"] == 0x7FFFFFFF);
}

TEST_CASE("format case 19: 64 fragments in 8 slots are one scan", "[unit]") {
  const TempDir dir;
  std::string bytes;
  for (std::uint32_t i = 0; i < 64; ++i) {
    dir.write(std::to_string(i % 8 + 1) + "/" + std::to_string(i / 8) + "/data/a.vdif",
              fragment({i, i + 64}));
  }
  for (std::uint32_t i = 0; i < 128; ++i) bytes += payload(i);
  const Told told = tell(dir);
  is_clean(told, bytes);
  CHECK(told.list["fragments"].size() == 64);
}

TEST_CASE("format case 20: legacy headers, high threads and late epochs are read", "[unit]") {
  const TempDir dir;
  std::string bytes = payload(0);
  for (std::size_t i = 0; i < bytes.size(); i += kPacketBytes) {
    bytes[i + 3] = static_cast<char>(bytes[i + 3] | 0x40);  // legacy
    bytes[i + 7] = static_cast<char>(63);                   // epoch
    bytes[i + 14] = static_cast<char>(0xFF);                // thread 1023
    bytes[i + 15] = static_cast<char>(bytes[i + 15] | 0x03);
  }
  dir.write("1/0/data/a.vdif", file_header() + block(0, bytes));
  is_clean(tell(dir), bytes);
}

TEST_CASE("format case 21: Mark5B frames pass through and are recognised", "[unit]") {
  const TempDir dir;
  std::string frames;
  for (int i = 0; i < 2; ++i) {
    frames += test::le32(0xABADDEEDU) + std::string(10'012, static_cast<char>(i));
  }
  dir.write("1/0/data/a", file_header(10'016, 20'032) + block(0, frames));
  const Told told = tell(dir, "a");
  is_clean(told, frames);
  CHECK(told.list["mark5b"] == true);
}

TEST_CASE("format case 22: invalid frames without a time do not set the start", "[unit]") {
  const TempDir dir;
  const std::string bytes = test::fill_packet() + test::fill_packet() +
                            test::vdif_frame(test::kEpochSeconds, 2) +
                            test::vdif_frame(test::kEpochSeconds, 3);
  dir.write("1/0/data/a.vdif", file_header() + block(0, bytes));
  const Told told = tell(dir);
  is_clean(told, bytes);
  CHECK(told.list["start"] == "2015-03-21T08:35:03Z");
}

TEST_CASE("format case 23: any bytes may stand in a name", "[unit]") {
  for (const std::string name :
       {"a.b.vdif", "e1 (x)_[1]*?.vdif", "bell\a\x1b[2J.vdif", "\xff\xfe", "-q", "a\nb"}) {
    const TempDir dir;
    dir.write("1/0/data/" + name, fragment({0}));
    dir.write("1/0/data/other", fragment({5}));
    INFO(escaped(name));
    const std::string root = dir / "*/*";
    const test::Outcome checked =
        test::run_program({"check", "--json", "--root", root, "--", name});
    CHECK(checked.code == ExitCode::kDelivered);
    CHECK(only_scan(checked)["name"] == valid_utf8(name));
    const test::Outcome table = test::run_program({"check", "--root", root, "--", name});
    CHECK(table.out.starts_with(escaped(name) + ": clean"));
    CHECK_FALSE(contains(table.out, "\x1b"));
    CHECK((test::gather({"--root=" + root, "--", name, "-"}).out == payload(0)));
  }
}

TEST_CASE("format case 24: version 1 files are read", "[unit]") {
  const TempDir dir;
  const auto v1 = [](const std::vector<std::uint32_t>& numbers) {
    std::string bytes = file_header(kPacketBytes, kPayloadBytes - 4);  // block_size: 4 + payload
    bytes.replace(4, 4, test::le32(1));
    for (const std::uint32_t number : numbers) bytes += test::le32(number) + payload(number);
    return bytes;
  };
  dir.write("1/0/data/a.vdif", v1({0, 2}));
  dir.write("1/1/data/a.vdif", v1({1}));
  is_clean(tell(dir), payloads({0, 1, 2}));
}

TEST_CASE("format case 25: symbolic links are followed, and listed as such", "[unit]") {
  const TempDir dir;
  const std::string target = dir.write("store/b", fragment({0, 1}));
  dir.mkdir("1/0");
  std::filesystem::create_symlink(target, dir / "1/0/a.vdif");
  const Told told = tell(dir);
  is_clean(told, payloads({0, 1}));
  CHECK(told.list["fragments"][0]["symlink"] == true);
  const test::Outcome listed = test::run_program({"list", "-l", "--root", dir / "*/*", "a.vdif"});
  CHECK(contains(listed.out, "fragments are symbolic links"));
}

TEST_CASE("format case 26: one block, and fewer blocks than disks, make a scan", "[unit]") {
  const TempDir dir;
  dir.write("1/0/data/a.vdif", fragment({0}));
  is_clean(tell(dir), payload(0));
  dir.write("1/1/data/a.vdif", file_header());
  dir.write("1/2/data/a.vdif", file_header());
  is_clean(tell(dir), payload(0));
}

TEST_CASE("format case 27: a block_size of raw 10^7 does not matter", "[unit]") {
  const TempDir dir;
  const std::string header = file_header(kPacketBytes, 10'000'000 - 8);
  dir.write("1/0/data/a.vdif", header + block(0, payload(0)) + block(2, payload(2)));
  dir.write("1/1/data/a.vdif", header + block(1, payload(1)));
  is_clean(tell(dir), payloads({0, 1, 2}));
}
