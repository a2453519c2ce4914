// SPDX-License-Identifier: MIT
#include <sys/stat.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <filesystem>

#include "gather/inputs.hpp"
#include "tests/unit/gather_fixture.hpp"

using namespace mark6;
using namespace mark6::gather;

namespace {

/// Modules with the scans "a_Aa_1.vdif", "a_Aa_2.vdif" and "odd[1].vdif", and a directory to
/// work in.
struct Station {
  Station() {
    for (const char* name : {"a_Aa_1.vdif", "a_Aa_2.vdif", "odd[1].vdif"}) {
      for (const char* disk : {"1/0", "1/1", "2/0"}) {
        modules.write(std::string(disk) + "/data/" + name, "x");
      }
    }
  }
  [[nodiscard]] std::string fragment(const std::string& disk, const std::string& name) const {
    return modules.file(disk + "/data/" + name);
  }
  [[nodiscard]] Result<Inputs> find(const std::vector<std::string>& arguments,
                                    std::optional<std::string> output = {}) const {
    Options options;
    options.arguments = arguments;
    options.output = std::move(output);
    options.roots = {modules.path().string() + "/*/*"};
    return find_inputs(options, Environment());
  }
  test::TemporaryDirectory modules;
  test::TemporaryDirectory work;
};

ErrorCode code_of(const Result<Inputs>& inputs) {
  REQUIRE_FALSE(inputs);
  return inputs.error().code;
}

}  // namespace

TEST_CASE("gather inputs: one name is a scan, and the output is stdout", "[unit][gather]") {
  const Station station;
  for (const char* name : {"a_Aa_1", "a_Aa_1.vdif", "*Aa_1*"}) {
    CAPTURE(name);
    for (const auto& inputs :
         {station.find({name}), station.find({name, "-"}), station.find({name}, "-")}) {
      REQUIRE(inputs);
      CHECK(inputs->scan.name == "a_Aa_1.vdif");
      CHECK(inputs->scan.fragments.size() == 3);
      CHECK_FALSE(inputs->output);
    }
  }
  CHECK(station.find({"odd[1]"})->scan.name == "odd[1].vdif");
}

TEST_CASE("gather inputs: the last of several that names nothing is the output", "[unit][gather]") {
  const Station station;
  const std::string out = station.work.file("out.vdif");
  CHECK(station.find({"a_Aa_1", out})->output == out);
  CHECK(station.find({"a_Aa_1"}, out)->output == out);
  const auto files = station.find(
      {station.fragment("1/0", "a_Aa_1.vdif"), station.fragment("1/1", "a_Aa_1.vdif"), out});
  REQUIRE(files);
  CHECK(files->scan.fragments.size() == 2);
  CHECK(files->output == out);
  // The scan's own name beside its fragments or itself: a copy in the working directory.
  CHECK(station.find({station.fragment("1/0", "a_Aa_1.vdif"), "a_Aa_1.vdif"})->output ==
        "a_Aa_1.vdif");
  CHECK(station.find({"a_Aa_1", "a_Aa_1.vdif"})->output == "a_Aa_1.vdif");
}

TEST_CASE("gather inputs: the shell's and our own patterns give the same", "[unit][gather]") {
  const Station station;
  const std::string pattern = station.modules.path().string() + "/[12]/*/data/a_Aa_2.vdif";
  const auto quoted = station.find({pattern, "-"});
  const auto expanded =
      station.find({station.fragment("1/0", "a_Aa_2.vdif"), station.fragment("1/1", "a_Aa_2.vdif"),
                    station.fragment("2/0", "a_Aa_2.vdif"), "-"});
  REQUIRE(quoted);
  REQUIRE(expanded);
  CHECK(quoted->scan.fragments.size() == 3);
  CHECK(expanded->scan.fragments.size() == 3);
  CHECK_FALSE(quoted->output);
  CHECK(station.find({pattern})->scan.fragments.size() == 3);
  // Two patterns, the last of which matches: no output.
  const std::string module = station.modules.path().string() + "/2/*/data/a_Aa_2.vdif";
  const auto two = station.find({station.fragment("1/0", "a_Aa_2.vdif"), module});
  REQUIRE(two);
  CHECK(two->scan.fragments.size() == 2);
  CHECK_FALSE(two->output);
  // A pattern that matches nothing is a module that is not there rather than an output.
  CHECK(code_of(station.find({module, "/nowhere/*/a_Aa_2.vdif"})) == ErrorCode::kNotFound);
}

TEST_CASE("gather inputs: an existing file at the end is an input", "[unit][gather]") {
  const Station station;
  const std::string last = station.fragment("2/0", "a_Aa_1.vdif");
  const auto inputs = station.find({station.fragment("1/0", "a_Aa_1.vdif"), last});
  REQUIRE(inputs);
  CHECK(inputs->scan.fragments.size() == 2);
  CHECK_FALSE(inputs->output);
  // A scan's name and a file do not go together; the message says how to name an output.
  const auto mixed = station.find({"a_Aa_1", station.work.write("old.vdif", "x")});
  CHECK(code_of(mixed) == ErrorCode::kUsage);
  CHECK(describe(mixed.error()).find("-o") != std::string::npos);
}

TEST_CASE("gather inputs: devices and FIFOs at the end are outputs", "[unit][gather]") {
  const Station station;
  CHECK(station.find({"a_Aa_1", "/dev/null"})->output == "/dev/null");
  const std::string fifo = station.work.file("fifo");
  REQUIRE(::mkfifo(fifo.c_str(), 0600) == 0);
  CHECK(station.find({"a_Aa_1", fifo})->output == fifo);
  CHECK(code_of(station.find({fifo})) == ErrorCode::kUsage);
  CHECK(code_of(station.find({fifo, "-"})) == ErrorCode::kUsage);
}

TEST_CASE("gather inputs: directories are neither input nor output", "[unit][gather]") {
  const Station station;
  const std::string directory = station.work.path().string();
  CHECK(code_of(station.find({"a_Aa_1", directory})) == ErrorCode::kUsage);
  CHECK(code_of(station.find({directory})) == ErrorCode::kUsage);
  CHECK(code_of(station.find({directory, "-"})) == ErrorCode::kUsage);
}

TEST_CASE("gather inputs: two scans are a mistake, not an input and an output", "[unit][gather]") {
  const Station station;
  CHECK(code_of(station.find({"a_Aa_1", "a_Aa_2"})) == ErrorCode::kUsage);
  CHECK(code_of(station.find({"a_Aa_1", "a_Aa_2", "-"})) == ErrorCode::kUsage);
  CHECK(code_of(station.find({"a_Aa_1", "a_Aa_2"}, "out")) == ErrorCode::kUsage);
  const auto files = station.find(
      {station.fragment("1/0", "a_Aa_1.vdif"), station.fragment("1/0", "a_Aa_2.vdif"), "-"});
  CHECK(code_of(files) == ErrorCode::kUsage);
  CHECK(describe(files.error()).find("a_Aa_1.vdif, a_Aa_2.vdif") != std::string::npos);
  CHECK(code_of(station.find({"-", "a_Aa_1"})) == ErrorCode::kUsage);
  CHECK(code_of(station.find({"-"})) == ErrorCode::kUsage);
}

TEST_CASE("gather inputs: a name that fits several scans lists them", "[unit][gather]") {
  const Station station;
  const auto inputs = station.find({"a_*", "-"});
  CHECK(code_of(inputs) == ErrorCode::kAmbiguous);
  CHECK(describe(inputs.error()).find("a_Aa_1.vdif, a_Aa_2.vdif") != std::string::npos);
}

TEST_CASE("gather inputs: what is not found is told with what was looked at", "[unit][gather]") {
  const Station station;
  const auto inputs = station.find({"a_Aa_7", "-"});
  CHECK(code_of(inputs) == ErrorCode::kNotFound);
  const std::string line = describe(inputs.error());
  CHECK(line.find("3 scans on 3 disks") != std::string::npos);
  CHECK(line.find("did you mean a_Aa_1.vdif") != std::string::npos);
  // With an output beside it nothing is created.
  const std::string out = station.work.file("out.vdif");
  CHECK(code_of(station.find({"a_Aa_7", out})) == ErrorCode::kNotFound);
  CHECK_FALSE(std::filesystem::exists(out));

  Options options;
  options.arguments = {"a_Aa_1"};
  options.roots = {"/nowhere/*/*"};
  CHECK(code_of(find_inputs(options, Environment())) == ErrorCode::kNotFound);
}
