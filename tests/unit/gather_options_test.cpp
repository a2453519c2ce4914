// SPDX-License-Identifier: MIT
#include <algorithm>
#include <catch2/catch.hpp>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <sstream>
#include <string>

#include "gather/options.hpp"

using namespace mark6;
using mark6::gather::help_text;
using mark6::gather::option_names;
using mark6::gather::parse_options;

TEST_CASE("gather options: everything that can be said is understood", "[unit][gather]") {
  const auto options = parse_options({"--skip", "64MiB", "--bytes=1.5G", "SCAN", "--memory", "256M",
                                      "--progress=never", "--root", "/a/*", "--root", "/b/*",
                                      "--meta-root=/m", "-v", "-o", "out.vdif", "--force"});
  REQUIRE(options);
  CHECK(options->skip_bytes == 64ULL << 20);
  CHECK(options->bytes == 1'500'000'000ULL);
  CHECK(options->memory_bytes == 256'000'000ULL);
  CHECK(options->progress == gather::ProgressMode::kNever);
  CHECK(options->roots == std::vector<std::string>{"/a/*", "/b/*"});
  CHECK(options->meta_root == "/m");
  CHECK(options->verbosity == Verbosity::kVerbose);
  CHECK(options->output == "out.vdif");
  CHECK(options->force);
  CHECK(options->arguments == std::vector<std::string>{"SCAN"});
}

TEST_CASE("gather options: statistics go to two files, every so many seconds", "[unit][gather]") {
  const auto options = parse_options(
      {"SCAN", "--stats", "s.json", "--prometheus=s.prom", "--stats-interval", "0.5"});
  REQUIRE(options);
  CHECK(options->stats.json_file == "s.json");
  CHECK(options->stats.prometheus_file == "s.prom");
  CHECK(options->stats.interval == std::chrono::milliseconds(500));
  CHECK(parse_options({"SCAN"})->stats.interval == std::chrono::seconds(10));
  CHECK_FALSE(parse_options({"SCAN"})->stats.json_file);
}

TEST_CASE("gather options: names are taken as they are", "[unit][gather]") {
  CHECK(parse_options({"[a,b]", "-"})->arguments == std::vector<std::string>{"[a,b]", "-"});
  CHECK(parse_options({"--", "-odd", "--", "x"})->arguments ==
        std::vector<std::string>{"-odd", "--", "x"});
  CHECK(parse_options({"SCAN", "--root", "[12]", "out"})->roots ==
        std::vector<std::string>{"[12]"});
  CHECK(parse_options({"SCAN", "--root", "[12]", "out"})->arguments ==
        std::vector<std::string>{"SCAN", "out"});
}

TEST_CASE("gather options: what makes no sense is refused with a reason", "[unit][gather]") {
  const std::vector<std::vector<std::string>> wrong = {
      {},
      {"--no-such-option", "SCAN"},
      {"-x", "SCAN"},
      {"SCAN", "--skip"},
      {"SCAN", "--skip", "many"},
      {"SCAN", "--bytes", "-5"},
      {"SCAN", "--progress", "sometimes"},
      {"SCAN", "-q", "-v"},
      {"SCAN", "--append", "--force"},
      {"SCAN", "-o", ""},
      {"SCAN", ""},
      {"SCAN", "--stats", ""},
      {"SCAN", "--prometheus="},
      {"SCAN", "--stats-interval", "soon"},
      {"SCAN", "--stats-interval", "0"},
  };
  for (const auto& args : wrong) {
    CAPTURE(args);
    const auto options = parse_options(args);
    REQUIRE_FALSE(options);
    CHECK(options.error().code == ErrorCode::kUsage);
    CHECK_FALSE(describe(options.error()).empty());
  }
}

TEST_CASE("gather options: the help names every option and fits on a screen", "[unit][gather]") {
  const std::string help(help_text());
  for (const std::string& name : option_names()) {
    CAPTURE(name);
    CHECK(help.find(name) != std::string::npos);
  }
  std::istringstream lines(help);
  std::size_t count = 0;
  std::size_t examples = 0;
  for (std::string line; std::getline(lines, line); ++count) {
    CHECK(line.size() <= 80);
    if (line.starts_with("  mark6gather ")) ++examples;
  }
  CHECK(count <= 24);
  CHECK(examples >= 3);
}

TEST_CASE("gather options: the manual names every option", "[unit][gather]") {
  const std::filesystem::path root = MARK6_SOURCE_DIR;
  std::ifstream file(root / "docs" / "reference" / "mark6gather.md");
  const std::string manual{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  REQUIRE_FALSE(manual.empty());
  for (const std::string& name : option_names()) {
    CAPTURE(name);
    CHECK(manual.find("`" + name) != std::string::npos);
  }
}
