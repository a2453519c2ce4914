// SPDX-License-Identifier: MIT
#include <atomic>
#include <catch2/catch.hpp>
#include <cerrno>
#include <chrono>
#include <condition_variable>
#include <filesystem>
#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "common/base/time_text.hpp"
#include "fuse/scan_shelf.hpp"
#include "tests/support/recording.hpp"
#include "tests/support/temporary.hpp"

using mark6::ScanNodePtr;
using mark6::ScanShelf;
using mark6::test::TemporaryDirectory;

namespace {

constexpr std::uint64_t kFrame = 1032;

/// A recording of two disks below a private directory.
class Modules {
 public:
  /// Blocks `first`, `first` + 2, ... of `name` on disk `disk`, each of one frame.
  void write(const std::string& name, int disk, std::int32_t first, std::int32_t count) {
    mark6::test::FragmentSpec spec;
    spec.block_size = kFrame + 8;
    for (std::int32_t i = 0; i < count; ++i) {
      const auto frame = static_cast<std::uint32_t>(first + 2 * i);
      spec.blocks.push_back({.number = first + 2 * i, .payload = mark6::test::vdif_frame(frame)});
    }
    const auto bytes = mark6::test::fragment_bytes(spec);
    directory_.write("1/" + std::to_string(disk) + "/data/" + name,
                     {reinterpret_cast<const char*>(bytes.data()), bytes.size()});
  }
  [[nodiscard]] std::string path(const std::string& name, int disk) const {
    return directory_.file("1/" + std::to_string(disk) + "/data/" + name);
  }
  [[nodiscard]] ScanNodePtr node(const std::string& name) {
    std::vector<std::string> directories;
    auto scans =
        mark6::find_scans({.disk_globs = {(directory_.path() / "1/*").string()}, .meta_root = {}},
                          disks_, directories);
    REQUIRE(scans);
    for (auto& facts : *scans) {
      if (facts.scan.name == name) return std::make_shared<mark6::ScanNode>(7, std::move(facts));
    }
    FAIL("no such scan: " << name);
    return nullptr;
  }

 private:
  TemporaryDirectory directory_;
  mark6::DiskTable disks_{8};
};

/// Waits for the one call of a callback.
template <class Value>
class Answer {
 public:
  void set(Value value) {
    const std::lock_guard lock(mutex_);
    value_ = std::move(value);
    changed_.notify_all();
  }
  Value get() {
    std::unique_lock lock(mutex_);
    REQUIRE(
        changed_.wait_for(lock, std::chrono::seconds(20), [this] { return value_.has_value(); }));
    return *value_;
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  std::optional<Value> value_;
};

struct Files {
  std::shared_ptr<const mark6::OpenFiles> files;
  int error = 0;
};

std::shared_ptr<const mark6::ScanAttributes> attributes(ScanShelf& shelf, const ScanNodePtr& node) {
  Answer<std::shared_ptr<const mark6::ScanAttributes>> answer;
  shelf.want_attributes(node, [&](auto known) { answer.set(std::move(known)); });
  return answer.get();
}

Files files(ScanShelf& shelf, const ScanNodePtr& node) {
  Answer<Files> answer;
  shelf.want_files(node, [&](auto open, int error) { answer.set({std::move(open), error}); });
  return answer.get();
}

std::string xattr(const mark6::ScanAttributes& known, std::string_view name) {
  for (const auto& [key, value] : known.xattrs) {
    if (key == name) return value;
  }
  return "(none)";
}

}  // namespace

TEST_CASE("scan shelf: size, times, mode and holes are known before the first open", "[unit]") {
  Modules modules;
  modules.write("a.vdif", 0, 0, 5);  // 0 2 4 6 8
  modules.write("a.vdif", 1, 3, 2);  // 3 5: 1 and 7 are missing
  std::filesystem::permissions(modules.path("a.vdif", 0), std::filesystem::perms{0640});
  ScanShelf shelf(8);
  const auto node = modules.node("a.vdif");
  CHECK(shelf.attributes(node) == nullptr);
  const auto known = attributes(shelf, node);
  REQUIRE(known != nullptr);
  CHECK(known->status.st_size == 7 * kFrame);
  CHECK(known->status.st_blocks == (7 * kFrame + 511) / 512);
  CHECK(known->status.st_mode == (S_IFREG | 0440U));
  CHECK(known->status.st_ino == 7);
  CHECK(known->status.st_nlink == 1);
  CHECK(known->readable);
  CHECK(xattr(*known, "user.mark6.blocks") == "7");
  CHECK(xattr(*known, "user.mark6.holes") == "2 1-1,7-7");
  CHECK(xattr(*known, "user.mark6.modules") == "1");
  CHECK(xattr(*known, "user.mark6.damage") == "none");
  CHECK(xattr(*known, "user.mark6.packet_size") == "1032");
  const std::string start = xattr(*known, "user.mark6.vdif_start");
  CHECK(start == mark6::iso_time(known->status.st_mtim.tv_sec));
  CHECK(shelf.attributes(node) == known);
}

TEST_CASE("scan shelf: files are open only while somebody has them", "[unit]") {
  Modules modules;
  modules.write("a.vdif", 0, 0, 3);
  modules.write("a.vdif", 1, 1, 3);
  ScanShelf shelf(8);
  const auto node = modules.node("a.vdif");
  REQUIRE(attributes(shelf, node) != nullptr);
  CHECK(shelf.files(node) == nullptr);
  {
    const auto open = files(shelf, node);
    REQUIRE(open.error == 0);
    CHECK(open.files->scan->index.size_bytes() == 6 * kFrame);
    CHECK(shelf.files(node) == open.files);
    const auto source = stream_source(open.files);
    REQUIRE(source.files.size() == 2);
    CHECK(source.files[1].buffered_fd >= 0);
    CHECK(source.files[1].disk != source.files[0].disk);
  }
  // The helper that opened them lets go of them a moment after it has called back.
  for (int i = 0; i < 2000 && shelf.files(node) != nullptr; ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  CHECK(shelf.files(node) == nullptr);
}

TEST_CASE("scan shelf: a file that changed since or is gone gives ESTALE", "[unit]") {
  Modules modules;
  modules.write("shrinks", 0, 0, 3);
  modules.write("changes", 0, 0, 3);
  modules.write("goes", 0, 0, 3);
  ScanShelf shelf(8);
  const auto shrinks = modules.node("shrinks");
  const auto changes = modules.node("changes");
  const auto goes = modules.node("goes");
  for (const auto& node : {shrinks, changes, goes}) REQUIRE(attributes(shelf, node) != nullptr);
  std::this_thread::sleep_for(std::chrono::milliseconds(20));  // dates of files are that coarse
  modules.write("shrinks", 0, 0, 2);
  modules.write("changes", 0, 1, 3);  // as long as before
  std::filesystem::remove(modules.path("goes", 0));
  CHECK(files(shelf, shrinks).error == ESTALE);
  CHECK(files(shelf, changes).error == ESTALE);
  CHECK(files(shelf, goes).error == ESTALE);
  CHECK(attributes(shelf, shrinks)->status.st_size == 3 * kFrame);
}

TEST_CASE("scan shelf: a file that has just grown is given as it was looked at", "[unit]") {
  Modules modules;
  modules.write("grows", 0, 0, 3);
  ScanShelf shelf(8);
  const auto grows = modules.node("grows");
  REQUIRE(attributes(shelf, grows) != nullptr);
  modules.write("grows", 0, 0, 4);
  const auto open = files(shelf, grows);
  REQUIRE(open.error == 0);
  CHECK(open.files->scan->index.size_bytes() == 3 * kFrame);
  CHECK_FALSE(shelf.is_outdated(grows));  // the next look at the modules tells
  CHECK_FALSE(grows->facts().same_files(modules.node("grows")->facts()));
}

TEST_CASE("scan shelf: a fragment that is away while it is walked, and comes back", "[unit]") {
  Modules modules;
  modules.write("a", 0, 0, 3);
  modules.write("a", 1, 1, 3);
  ScanShelf shelf(8);
  std::atomic<int> strange{0};
  shelf.when_strange([&] { ++strange; });
  const auto node = modules.node("a");
  const std::string path = modules.path("a", 1);
  std::filesystem::rename(path, path + ".away");
  REQUIRE(attributes(shelf, node)->status.st_size == 3 * kFrame);
  for (int i = 0; i < 2000 && strange == 0; ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  CHECK(strange == 1);
  CHECK_FALSE(shelf.is_outdated(node));
  std::filesystem::rename(path + ".away", path);
  CHECK(shelf.is_outdated(node));  // though the catalog says the same as before the walk
}

TEST_CASE("scan shelf: an index that was dropped to save memory is made again", "[unit]") {
  Modules modules;
  modules.write("a", 0, 0, 3);
  modules.write("b", 0, 0, 4);
  ScanShelf shelf(8, 1);  // no room for two
  const auto a = modules.node("a");
  const auto b = modules.node("b");
  REQUIRE(attributes(shelf, a) != nullptr);
  REQUIRE(attributes(shelf, b) != nullptr);
  CHECK(files(shelf, a).files->scan->index.size_bytes() == 3 * kFrame);
  CHECK(files(shelf, b).files->scan->index.size_bytes() == 4 * kFrame);
  modules.write("a", 0, 0, 5);  // walked again, it is not what stat() said
  CHECK(files(shelf, a).error == ESTALE);
}

TEST_CASE("scan shelf: all scans become known in the background", "[unit]") {
  Modules modules;
  std::vector<ScanNodePtr> nodes;
  nodes.reserve(20);
  for (int i = 0; i < 20; ++i) modules.write("s" + std::to_string(i), i % 2, 0, i + 1);
  for (int i = 0; i < 20; ++i) nodes.push_back(modules.node("s" + std::to_string(i)));
  ScanShelf shelf(8);
  shelf.walk_in_background(nodes);
  for (std::size_t i = nodes.size(); i-- > 0;) {  // asked for meanwhile, in another order
    CHECK(attributes(shelf, nodes[i])->status.st_size == static_cast<off_t>((i + 1) * kFrame));
  }
}

TEST_CASE("scan shelf: who still waits at the end is told", "[unit]") {
  Modules modules;
  modules.write("a", 0, 0, 3);
  const auto node = modules.node("a");
  ScanShelf shelf(8);
  shelf.stop();
  CHECK(files(shelf, node).error == ENODEV);
  CHECK(attributes(shelf, node) == nullptr);
}
