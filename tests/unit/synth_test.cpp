// SPDX-License-Identifier: MIT
// `mark6 synth` as a whole: what it prints against what it wrote, read by code that shares nothing
// with it but the format.
#include <fcntl.h>
#include <openssl/sha.h>
#include <sys/stat.h>

#include <algorithm>
#include <array>
#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <stop_token>

#include "common/catalog/metadata.hpp"
#include "tests/support/temporary.hpp"
#include "tools/subcommands.hpp"

using namespace mark6;
namespace fs = std::filesystem;

namespace {

std::string contents(const fs::path& path) { return test::content_of(path.string()); }

struct Outcome {
  ExitCode code;
  std::string out;
  std::string err;
};

/// Runs `mark6 synth` into `dir`/rec; with small blocks, ten packets of 1032 bytes, unless told.
Outcome synth(const test::TemporaryDirectory& dir, std::vector<std::string> args,
              std::stop_token stop = {}) {
  Environment environment;
  const std::string out = dir.file("out");
  const std::string err = dir.file("err");
  environment.stdout_fd = ::open(out.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
  environment.stderr_fd = ::open(err.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
  environment.stop = std::move(stop);
  if (std::find(args.begin(), args.end(), "--block-size") == args.end()) {
    args.insert(args.end(), {"--packet-size", "1032", "--block-size", "10328"});
  }
  args.push_back(dir.path() / "rec");
  const ExitCode code = run_synth(args, environment);
  ::close(environment.stdout_fd);
  ::close(environment.stderr_fd);
  return {code, contents(out), contents(err)};
}

nlohmann::json made(const test::TemporaryDirectory& dir, std::vector<std::string> args) {
  args.insert(args.begin(), {"--json", "-q"});
  const Outcome outcome = synth(dir, args);
  INFO(outcome.err);
  REQUIRE(outcome.code == ExitCode::kDelivered);
  CHECK(outcome.err.empty());
  return nlohmann::json::parse(outcome.out);
}

std::string sha256(const std::string& bytes) {
  std::array<unsigned char, SHA256_DIGEST_LENGTH> digest{};
  SHA256(reinterpret_cast<const unsigned char*>(bytes.data()), bytes.size(), digest.data());
  std::string text;
  for (const unsigned char byte : digest) {
    constexpr char kDigits[] = "0123456789abcdef";
    text += {kDigits[byte >> 4U], kDigits[byte & 15U]};
  }
  return text;
}

std::int32_t int_at(const std::string& bytes, std::size_t offset) {
  std::uint32_t value = 0;
  for (std::size_t i = 4; i-- > 0;) {
    value = value << 8 | static_cast<unsigned char>(bytes.at(offset + i));
  }
  return static_cast<std::int32_t>(value);
}

/// Adds the blocks of one fragment, which must be healthy.
void read_fragment(const std::string& bytes, std::map<std::int32_t, std::string>& blocks) {
  REQUIRE(static_cast<std::uint32_t>(int_at(bytes, 0)) == 0xfeed6666);
  const std::int32_t version = int_at(bytes, 4);
  const auto block_size = static_cast<std::size_t>(int_at(bytes, 8));
  CHECK(int_at(bytes, 16) == 1032);
  const std::size_t header = version == 1 ? 4 : 8;
  std::int32_t before = -1;
  for (std::size_t at = 20; at < bytes.size();) {
    const std::int32_t number = int_at(bytes, at);
    const std::size_t size = version == 1 ? std::min(block_size, bytes.size() - at)
                                          : static_cast<std::size_t>(int_at(bytes, at + 4));
    REQUIRE(size > header);
    REQUIRE(at + size <= bytes.size());
    CHECK(number > before);
    CHECK(blocks.emplace(number, bytes.substr(at + header, size - header)).second);
    before = number;
    at += size;
  }
}

std::map<std::int32_t, std::string> blocks_in(const test::TemporaryDirectory& dir,
                                              const std::string& scan = "exp1_xx_no0001.vdif") {
  std::map<std::int32_t, std::string> blocks;
  for (const auto& entry : fs::recursive_directory_iterator(dir.path() / "rec" / "disks")) {
    if (entry.path().filename() == scan) read_fragment(contents(entry.path()), blocks);
  }
  return blocks;
}

std::string flat(const std::map<std::int32_t, std::string>& blocks) {
  std::string bytes;
  for (const auto& [number, payload] : blocks) bytes += payload;
  return bytes;
}

std::size_t files_below(const fs::path& directory) {
  if (!fs::exists(directory)) return 0;
  std::size_t files = 0;
  for (const auto& entry : fs::recursive_directory_iterator(directory)) {
    files += entry.is_regular_file() ? 1U : 0U;
  }
  return files;
}

}  // namespace

TEST_CASE("synth: prints the size and hash of the flat stream that it wrote", "[unit]") {
  const std::vector<std::string> shape = GENERATE(
      as<std::vector<std::string>>(), std::vector<std::string>{"--blocks", "50"},
      std::vector<std::string>{"--frames", "1"},
      std::vector<std::string>{"--modules", "3", "--disks", "5", "--bytes", "300k", "--threads",
                               "4"},
      std::vector<std::string>{"--blocks", "50", "--sg-version", "1", "--short-last"},
      std::vector<std::string>{"--blocks", "50", "--short-block", "7", "--short-block", "8",
                               "--missing-block", "20", "--missing-disk", "1/3"},
      std::vector<std::string>{"--blocks", "50", "--placement", "unbalanced", "--layout", "flat"},
      std::vector<std::string>{"--blocks", "50", "--placement", "random", "--slow", "1/2:8"});
  const test::TemporaryDirectory dir;
  const auto report = made(dir, shape);
  const auto blocks = blocks_in(dir);
  const std::string bytes = flat(blocks);
  CHECK(report["bytes"] == bytes.size());
  CHECK(report["blocks"] == blocks.size());
  CHECK(report["first_block"] == blocks.begin()->first);
  CHECK(report["last_block"] == blocks.rbegin()->first);
  CHECK(report["sha256"] == sha256(bytes));
  std::uint64_t missing = 0;
  for (const auto& range : report["missing"]) {
    for (std::int32_t number = range[0]; number <= range[1]; ++number) {
      CHECK(blocks.count(number) == 0);
      ++missing;
    }
  }
  CHECK(blocks.rbegin()->first - blocks.begin()->first + 1 ==
        static_cast<std::int32_t>(blocks.size() + missing));
}

TEST_CASE("synth: the same command line gives the same files, another seed others", "[unit]") {
  const test::TemporaryDirectory one, two, three;
  const auto first = made(one, {"--blocks", "30"});
  CHECK(made(two, {"--blocks", "30"}) == first);
  for (const auto& entry : fs::recursive_directory_iterator(one.path() / "rec")) {
    if (!entry.is_regular_file()) continue;
    CHECK(contents(entry.path()) == contents(two.path() / fs::relative(entry.path(), one.path())));
  }
  CHECK(made(three, {"--blocks", "30", "--seed", "2"})["sha256"] != first["sha256"]);
}

TEST_CASE("synth: --flat writes the flat stream, also of a sparse recording", "[unit]") {
  const test::TemporaryDirectory dir;
  const std::string file = dir.path() / "flat.vdif";
  SECTION("full") {
    const auto report = made(dir, {"--blocks", "12", "--flat", file});
    CHECK(sha256(contents(file)) == report["sha256"]);
  }
  SECTION("sparse") {
    const auto report = made(dir, {"--blocks", "12", "--sparse", "--flat", file});
    CHECK_FALSE(report.contains("sha256"));
    CHECK(contents(file) == flat(blocks_in(dir)));
    CHECK(report["bytes"] == fs::file_size(file));
  }
}

TEST_CASE("synth: a sparse recording has exact sizes and takes little room", "[unit]") {
  const test::TemporaryDirectory dir;
  const auto report = made(dir, {"--sparse", "--bytes", "6G", "--disks", "1", "--packet-size",
                                 "8032", "--block-size", "10M"});
  struct stat status {};
  REQUIRE(::stat((dir.path() / "rec/disks/1/0/data/exp1_xx_no0001.vdif").c_str(), &status) == 0);
  const std::uint64_t blocks = report["blocks"];
  CHECK(blocks == 601);
  CHECK(report["bytes"] == 6'000'000'000 / 8032 * 8032);
  CHECK(static_cast<std::uint64_t>(status.st_size) ==
        20 + blocks * 8 + report["bytes"].get<std::uint64_t>());
  CHECK(status.st_blocks * 512 < 20'000'000);
}

TEST_CASE("synth: leaves the metadata of a recorder, and adds a second scan to slist", "[unit]") {
  const test::TemporaryDirectory dir;
  made(dir, {"--modules", "2", "--blocks", "16"});
  made(dir, {"--modules", "2", "--blocks", "16", "--scan", "it's [2].vdif"});
  const DiskMetadata metadata = read_disk_metadata(dir.path() / "rec/disks/.meta/2/3");
  CHECK(metadata.problems.empty());
  CHECK(metadata.serial->msn == "SYN%0002");
  CHECK(metadata.serial->disks == 8);
  CHECK(metadata.group.size() == 2);
  CHECK(metadata.disk_serials.size() == 8);
  CHECK(metadata.state == "recorded");
  REQUIRE(metadata.scans.size() == 2);
  CHECK(metadata.scans[0].name == "exp1_xx_no0001");
  CHECK(metadata.scans[0].start_unix_s == 1'426'926'903.0);
  CHECK(metadata.scans[1].name == "it's [2]");
}

TEST_CASE("synth: --no-meta leaves none, and a missing disk has neither data nor metadata",
          "[unit]") {
  const test::TemporaryDirectory dir;
  made(dir, {"--blocks", "16", "--missing-disk", "1/6"});
  CHECK_FALSE(fs::exists(dir.path() / "rec/disks/1/6"));
  CHECK_FALSE(fs::exists(dir.path() / "rec/disks/.meta/1/6"));
  CHECK(fs::exists(dir.path() / "rec/disks/.meta/1/5/eMSN"));
  const test::TemporaryDirectory bare;
  made(bare, {"--blocks", "16", "--no-meta"});
  CHECK_FALSE(fs::exists(bare.path() / "rec/disks/.meta"));
}

TEST_CASE("synth: a scan that exists is replaced by --force only, and then wholly", "[unit]") {
  const test::TemporaryDirectory dir;
  made(dir, {"--modules", "2", "--blocks", "20"});
  const std::string before = flat(blocks_in(dir));
  const Outcome refused = synth(dir, {"--blocks", "5", "--layout", "flat"});
  CHECK(refused.code == ExitCode::kUsage);
  CHECK(refused.err.find("exists already") != std::string::npos);
  CHECK(refused.out.empty());
  CHECK(flat(blocks_in(dir)) == before);

  const auto report = made(dir, {"--blocks", "5", "--layout", "flat", "--force"});
  CHECK(sha256(flat(blocks_in(dir))) == report["sha256"]);
}

TEST_CASE("synth: an interrupt leaves nothing behind", "[unit]") {
  const test::TemporaryDirectory dir;
  std::stop_source stop;
  stop.request_stop();
  const Outcome outcome = synth(dir, {"--blocks", "20"}, stop.get_token());
  CHECK(outcome.code == ExitCode::kInterrupted);
  CHECK(outcome.out.empty());
  CHECK_FALSE(fs::exists(dir.path() / "rec"));
}

TEST_CASE("synth: a failure removes what was made and nothing else", "[unit]") {
  const test::TemporaryDirectory dir;
  made(dir, {"--blocks", "5", "--scan", "old.vdif"});
  const std::size_t before = files_below(dir.path() / "rec");
  // Where the last disk should be stands a file.
  fs::create_directories(dir.path() / "rec/disks/2");
  std::ofstream(dir.path() / "rec/disks/2/7") << "in the way";
  const Outcome outcome = synth(dir, {"--blocks", "20", "--modules", "2", "--scan", "new.vdif"});
  CHECK(outcome.code == ExitCode::kNotFound);
  CHECK(outcome.err.find("rec/disks/2/7") != std::string::npos);
  CHECK(files_below(dir.path() / "rec") == before + 1);
  CHECK_FALSE(fs::exists(dir.path() / "rec/disks/2/0"));
}

TEST_CASE("synth: mistakes on the command line are told, exit code 2", "[unit]") {
  const test::TemporaryDirectory dir;
  const auto [option, value] =
      GENERATE(table<std::string, std::string>({{"--scan", "a/b"},
                                                {"--scan", ".hidden"},
                                                {"--bytes", "many"},
                                                {"--frames", "-1"},
                                                {"--start", "yesterday"},
                                                {"--channels", "3"},
                                                {"--station", "Xyz"},
                                                {"--slow", "1/0"},
                                                {"--slow", "1/0:0.5"},
                                                {"--missing-disk", "10"},
                                                {"--disks", "0"},
                                                {"--placement", "raid"},
                                                {"--epoch", "64"},
                                                {"--no-such-option", "1"}}));
  const Outcome outcome = synth(dir, {option, value});
  CHECK(outcome.code == ExitCode::kUsage);
  CHECK(outcome.err.find("mark6 synth: ") == 0);
  CHECK_FALSE(fs::exists(dir.path() / "rec"));
}
