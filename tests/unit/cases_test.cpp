// SPDX-License-Identifier: MIT
// Small recordings made by an independent writer, healthy, damaged and with real frames: what the
// walk and the merge deliver of each is what its expect.json says. They are no part of the project:
// MARK6_CASES names their folder, or ../shared/cases beside the source tree; else they are skipped.
#include <fmt/format.h>
#include <openssl/sha.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "common/os/file.hpp"
#include "common/sg/scan_index.hpp"

namespace {

namespace fs = std::filesystem;
using nlohmann::json;

fs::path cases_folder() {
  if (const char* named = std::getenv("MARK6_CASES")) return named;
  return fs::path(MARK6_SOURCE_DIR) / ".." / "shared" / "cases";
}

struct CaseFragment {
  std::string disk;  ///< "M/D"
  mark6::DataFile file;
};

/// Some ways of copying turn a symbolic link into a small file that holds its target.
fs::path followed(const fs::path& path) {
  std::string target;
  if (fs::file_size(path) > 256) return path;
  std::getline(std::ifstream(path), target);
  return target.starts_with("../") ? path.parent_path() / target : path;
}

/// The scan's fragments, in the order of modules and disks.
std::vector<CaseFragment> open_fragments(const fs::path& disks, const std::string& scan) {
  std::vector<CaseFragment> fragments;
  std::vector<fs::path> folders;
  for (const auto& module : fs::directory_iterator(disks)) {
    if (module.path().filename().string().front() == '.') continue;
    for (const auto& disk : fs::directory_iterator(module)) folders.push_back(disk.path());
  }
  std::sort(folders.begin(), folders.end());
  for (const fs::path& folder : folders) {
    for (const fs::path& path : {folder / "data" / scan, folder / scan}) {
      if (!fs::exists(path)) continue;
      auto file = mark6::DataFile::open(followed(path).string());
      REQUIRE(file.has_value());
      fragments.push_back(
          {folder.parent_path().filename().string() + "/" + folder.filename().string(),
           std::move(*file)});
    }
  }
  return fragments;
}

std::string sha256_of(const mark6::sg::ScanIndex& index, std::vector<CaseFragment>& fragments) {
  std::vector<std::byte> flat(index.size_bytes());
  for (const mark6::sg::Extent& extent : index.extents()) {
    const auto into = mark6::MutableBytes(flat).subspan(extent.scan_offset.value, extent.length);
    auto& file = fragments[extent.fragment().value].file;
    REQUIRE(file.read_at(extent.file_offset(), into).value() == extent.length);
  }
  unsigned char digest[SHA256_DIGEST_LENGTH];
  SHA256(reinterpret_cast<const unsigned char*>(flat.data()), flat.size(), digest);
  std::string hex;
  for (const unsigned char byte : digest) hex += fmt::format("{:02x}", byte);
  return hex;
}

/// Of the lines a checker must report, those that a walk can tell.
std::vector<std::string> walk_damage(const json& lines) {
  std::vector<std::string> wanted;
  for (const std::string line : lines) {
    const bool of_others = line.find("stands twice") != std::string::npos ||
                           line.find("no fragment") != std::string::npos;
    if (!of_others) wanted.push_back(line);
  }
  return wanted;
}

void check_case(const fs::path& folder) {
  const json expect = json::parse(std::ifstream(folder / "expect.json"));
  auto fragments = open_fragments(folder / "disks", expect["scan"]);
  std::vector<mark6::sg::Fragment> walked;
  std::vector<std::string> damage;
  for (CaseFragment& fragment : fragments) {
    walked.push_back(mark6::sg::walk_fragment(fragment.file));
    for (const auto& one : walked.back().damage) {
      damage.push_back(fragment.disk + ": " + describe(one));
    }
  }
  std::sort(damage.begin(), damage.end());
  CHECK(damage == walk_damage(expect["damage"]));

  const auto index = mark6::sg::ScanIndex::merge(std::move(walked));
  REQUIRE(index.extents().size() == expect["blocks"].get<std::size_t>());
  CHECK(index.size_bytes() == expect["bytes"].get<std::uint64_t>());
  CHECK(index.packet_size() == expect["packet_size"].get<std::uint32_t>());
  CHECK(index.extents().front().number.value == expect["first"].get<std::int32_t>());
  CHECK(index.extents().back().number.value == expect["last"].get<std::int32_t>());
  std::vector<std::pair<std::int32_t, std::int32_t>> missing;
  for (const auto& range : index.missing())
    missing.emplace_back(range.first.value, range.last.value);
  CHECK(missing == expect["missing"].get<decltype(missing)>());
  CHECK(sha256_of(index, fragments) == expect["sha256"].get<std::string>());
}

}  // namespace

TEST_CASE("cases: each recording gives the bytes, ranges and damage it should", "[unit][pure]") {
  const fs::path folder = cases_folder();
  if (!fs::exists(folder)) {
    std::cerr << "skipped: there is no " << folder.string() << "; MARK6_CASES names one\n";
    return;
  }
  std::size_t cases = 0;
  for (const auto& entry : fs::directory_iterator(folder)) {
    if (!fs::exists(entry.path() / "expect.json")) continue;
    ++cases;
    INFO("case " << entry.path().filename().string());
    check_case(entry.path());
  }
  CHECK(cases > 0);
}
