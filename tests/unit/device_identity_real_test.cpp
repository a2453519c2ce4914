// SPDX-License-Identifier: MIT
// This machine's own devices: whatever it stands on, and a loop device made for the test (needs
// root; else it is left out).
#include <catch2/catch.hpp>
#include <cstdio>
#include <filesystem>
#include <memory>

#include "common/account/device_identity.hpp"
#include "common/account/disk_stats.hpp"
#include "tests/support/temporary.hpp"

using mark6::DiskStatsReader;
using mark6::identify_device_of;
using mark6::kernel_disk_of;
using mark6::physical_disks;

namespace {

/// First line of a command's output, empty when it fails.
std::string output_of(const std::string& command) {
  const std::unique_ptr<FILE, decltype(&::pclose)> pipe(
      ::popen((command + " 2>/dev/null").c_str(), "r"), &::pclose);
  char line[512] = "";
  if (!pipe || std::fgets(line, sizeof line, pipe.get()) == nullptr) return {};
  std::string text(line);
  while (!text.empty() && text.back() == '\n') text.pop_back();
  return text;
}

/// A loop device on `file`; gone with the object.
class LoopDevice {
 public:
  explicit LoopDevice(const std::string& file)
      : node_(output_of("losetup --find --show '" + file + "'")) {}
  ~LoopDevice() {
    if (!node_.empty()) output_of("losetup --detach " + node_);
  }
  LoopDevice(const LoopDevice&) = delete;
  LoopDevice& operator=(const LoopDevice&) = delete;
  [[nodiscard]] const std::string& node() const { return node_; }

 private:
  std::string node_;
};

/// A file system mounted on `directory`; unmounted with the object.
class Mounted {
 public:
  Mounted(const std::string& node, std::string directory) : directory_(std::move(directory)) {
    mounted_ = output_of("mkfs.ext4 -q " + node + " && mount " + node + " " + directory_ +
                         " && echo yes") == "yes";
  }
  ~Mounted() {
    if (mounted_) output_of("umount " + directory_);
  }
  Mounted(const Mounted&) = delete;
  Mounted& operator=(const Mounted&) = delete;
  [[nodiscard]] bool mounted() const { return mounted_; }

 private:
  std::string directory_;
  bool mounted_ = false;
};

constexpr std::uint64_t kImageBytes = std::uint64_t{16} << 20U;

std::string image_in(const mark6::test::TemporaryDirectory& directory) {
  const std::string image = directory.write("image", "");
  std::filesystem::resize_file(image, kImageBytes);
  return image;
}

}  // namespace

TEST_CASE("device identity: the device of this machine's own root is on its diskstats",
          "[unit][account][pure]") {
  const auto identity = identify_device_of("/");
  REQUIRE(identity.has_value());
  CHECK(identity->file_system);
  if (!identity->kernel_name) {
    WARN("skipped: the root file system has no device that can be seen here");
    return;
  }
  const auto stats = DiskStatsReader().read();
  REQUIRE(stats.has_value());
  const auto* counters = stats->find(kernel_disk_of(*identity).value());
  REQUIRE(counters != nullptr);
  CHECK(counters->name == identity->kernel_name);
  CHECK(identity->facts.size_bytes > 0);
}

TEST_CASE("device identity: a real loop device is known with its file and disk",
          "[unit][account][pure]") {
  const mark6::test::TemporaryDirectory directory;
  const std::string image = image_in(directory);
  const LoopDevice loop(image);
  if (loop.node().empty()) {
    WARN("skipped: no loop device can be had here");
    return;
  }
  const auto identity = identify_device_of(loop.node());
  REQUIRE(identity.has_value());
  const std::string name = loop.node().substr(loop.node().rfind('/') + 1);
  CHECK(identity->kernel_name == name);
  CHECK(identity->facts.transport == "loop");
  CHECK(identity->facts.size_bytes == kImageBytes);
  CHECK(identity->backing_file == image);
  CHECK(identity->facts.read_ahead_kb);
  CHECK_FALSE(identity->facts.serial);
  const auto below = identify_device_of(image);
  REQUIRE(below.has_value());
  REQUIRE(identity->below.size() == 1);
  CHECK(identity->below[0].number == below->number);
  CHECK(physical_disks(*identity)[0]->kernel_name == physical_disks(*below)[0]->kernel_name);
  const auto stats = DiskStatsReader().read();
  REQUIRE(stats.has_value());
  REQUIRE(stats->find(kernel_disk_of(*identity).value()) != nullptr);
  CHECK(stats->find(kernel_disk_of(*identity).value())->name == name);

  const std::string mount_point = directory.file("mnt/x");
  const std::string folder = std::filesystem::path(mount_point).parent_path();
  const Mounted mounted(loop.node(), folder);
  if (!mounted.mounted()) {
    WARN("skipped in part: nothing can be mounted here");
    return;
  }
  const auto disk = identify_device_of(folder);
  REQUIRE(disk.has_value());
  CHECK(disk->kernel_name == name);
  CHECK(disk->file_system == "ext4");
  CHECK(disk->mount_source == loop.node());
}
