// SPDX-License-Identifier: MIT
// Stacks of devices on machines made of files; what /sys says about one disk is in
// device_facts_test.cpp.
#include "common/account/device_identity.hpp"

#include <catch2/catch.hpp>

#include "tests/support/fake_system.hpp"

using mark6::DeviceIdentity;
using mark6::DeviceNumber;
using mark6::identify_device;
using mark6::identify_device_of;
using mark6::kernel_disk_of;
using mark6::physical_disks;
using mark6::test::FakeSystem;

namespace {

const std::string kSas =
    "pci0000:00/0000:03:00.0/host6/port-6:0/end_device-6:0/target6:0:0/6:0:0:0/";

/// Disk sdr (65:16) with the partition sdr1 (65:17).
void add_sdr(FakeSystem& system) {
  system.block_device(kSas + "block/sdr", "65:16");
  system.attribute(kSas + "block/sdr/size", "7814037168\n");
  system.block_device(kSas + "block/sdr/sdr1", "65:17");
  system.attribute(kSas + "block/sdr/sdr1/partition", "1\n");
}

DeviceIdentity identify(const std::string& path, const FakeSystem& system) {
  const auto identity = identify_device_of(path, system.roots());
  REQUIRE(identity.has_value());
  return *identity;
}

/// Names of the disks at the bottom.
std::vector<std::string> disks_of(const DeviceIdentity& identity) {
  std::vector<std::string> names;
  for (const DeviceIdentity* disk : physical_disks(identity)) {
    names.push_back(disk->kernel_name.value_or("?"));
  }
  return names;
}

using Names = std::vector<std::string>;

std::size_t devices_in(const DeviceIdentity& identity) {
  std::size_t count = 1;
  for (const DeviceIdentity& device : identity.below) count += devices_in(device);
  return count;
}

}  // namespace

TEST_CASE("device identity: a partition leads to its disk", "[unit][account][pure]") {
  FakeSystem system;
  add_sdr(system);
  system.mountinfo("30 1 65:17 / /mnt/disks/1/0 rw,relatime shared:1 - xfs /dev/sdr1 rw\n");
  system.stat_says("/mnt/disks/1/0/data", {65, 17});
  const auto identity = identify("/mnt/disks/1/0/data", system);
  CHECK(identity.kernel_name == "sdr");
  CHECK(identity.partition == "sdr1");
  CHECK(identity.number == DeviceNumber{65, 16});
  CHECK(kernel_disk_of(identity) == DeviceNumber{65, 16});
  CHECK(identity.facts.size_bytes == 4000787030016);
  CHECK(identity.file_system == "xfs");
  CHECK(identity.mount_source == "/dev/sdr1");
  CHECK(identity.below.empty());
  CHECK(disks_of(identity) == Names{"sdr"});
}

TEST_CASE("device identity: a whole disk is no partition", "[unit][account][pure]") {
  FakeSystem system;
  add_sdr(system);
  const auto identity = identify_device({65, 16}, system.roots());
  CHECK(identity.kernel_name == "sdr");
  CHECK_FALSE(identity.partition);
  CHECK_FALSE(identity.file_system);
}

TEST_CASE("device identity: names with a slash are as in diskstats", "[unit][account][pure]") {
  FakeSystem system;
  system.block_device("pci0000:00/0000:04:00.0/cciss0/c0d0/block/cciss!c0d0", "104:0");
  CHECK(identify_device({104, 0}, system.roots()).kernel_name == "cciss/c0d0");
}

TEST_CASE("device identity: a loop device leads to the disk of its file", "[unit][account][pure]") {
  FakeSystem system;
  add_sdr(system);
  system.block_device("virtual/block/loop3", "7:3");
  system.attribute("virtual/block/loop3/loop/backing_file", "/srv/image of a disk\n");
  system.mountinfo(
      "30 1 65:17 / /srv rw - xfs /dev/sdr1 rw\n"
      "31 1 7:3 / /mnt/a\\040disk rw - ext4 /dev/loop3 rw\n");
  system.stat_says("/mnt/a disk", {7, 3});
  system.stat_says("/srv/image of a disk", {65, 17});
  const auto identity = identify("/mnt/a disk", system);
  CHECK(identity.kernel_name == "loop3");
  CHECK(identity.facts.transport == "loop");
  CHECK(identity.backing_file == "/srv/image of a disk");
  CHECK(identity.file_system == "ext4");
  // What our reads do to it is on its own line, not on the disk's.
  CHECK(kernel_disk_of(identity) == DeviceNumber{7, 3});
  REQUIRE(identity.below.size() == 1);
  CHECK(identity.below[0].kernel_name == "sdr");
  CHECK(identity.below[0].partition == "sdr1");
  CHECK(identity.below[0].file_system == "xfs");
  CHECK(disks_of(identity) == Names{"sdr"});
}

TEST_CASE("device identity: a loop device whose file is gone stands alone",
          "[unit][account][pure]") {
  FakeSystem system;
  system.block_device("virtual/block/loop3", "7:3");
  system.attribute("virtual/block/loop3/loop/backing_file", "/srv/image (deleted)\n");
  const auto identity = identify_device({7, 3}, system.roots());
  CHECK(identity.kernel_name == "loop3");
  CHECK(identity.below.empty());
}

TEST_CASE("device identity: dm and md lead to all their slaves", "[unit][account][pure]") {
  FakeSystem system;
  add_sdr(system);
  system.block_device("virtual/nvme-subsystem/nvme-subsys0/nvme0n1", "259:0");
  system.block_device("virtual/block/dm-0", "253:0");
  system.attribute("virtual/block/dm-0/dm/name", "group-volume\n");
  system.link("sys/devices/virtual/block/dm-0/slaves/sdr1",
              "../../../../" + kSas + "block/sdr/sdr1");
  system.link("sys/devices/virtual/block/dm-0/slaves/nvme0n1",
              "../../../../virtual/nvme-subsystem/nvme-subsys0/nvme0n1");
  system.block_device("virtual/block/md127", "9:127");
  system.link("sys/devices/virtual/block/md127/slaves/dm-0", "../../dm-0");
  system.link("sys/devices/virtual/block/md127/slaves/sdr", "../../../../" + kSas + "block/sdr");

  const auto linear = identify_device({253, 0}, system.roots());
  CHECK(linear.kernel_name == "dm-0");
  CHECK(linear.volume_name == "group-volume");
  CHECK(linear.facts.transport == "dm");
  CHECK(kernel_disk_of(linear) == DeviceNumber{253, 0});
  REQUIRE(linear.below.size() == 2);
  CHECK(disks_of(linear) == Names{"nvme0n1", "sdr"});

  const auto raid = identify_device({9, 127}, system.roots());
  CHECK(raid.facts.transport == "md");
  CHECK(raid.below.size() == 2);
  CHECK(disks_of(raid) == Names{"nvme0n1", "sdr"});  // sdr once, though it is met twice
}

TEST_CASE("device identity: btrfs is resolved by its mount's source", "[unit][account][pure]") {
  FakeSystem system;
  add_sdr(system);
  // stat of a file in a subvolume gives 0:52, which no line has.
  system.mountinfo(
      "29 1 0:31 / / rw - overlay overlay rw\n"
      "30 29 0:40 /@data /data rw,relatime shared:1 master:2 - btrfs /dev/sdr1 rw,subvol=/@data\n"
      "31 29 0:41 / /data2 rw - tmpfs tmpfs rw\n");
  system.stat_says("/data/scan", {0, 52});
  const auto identity = identify("/data/scan", system);
  CHECK(identity.kernel_name == "sdr");
  CHECK(identity.partition == "sdr1");
  CHECK(identity.file_system == "btrfs");
}

TEST_CASE("device identity: sources are followed through /dev/mapper", "[unit][account][pure]") {
  FakeSystem system;
  system.block_device("virtual/block/dm-0", "253:0");
  system.write("dev/dm-0", "");
  system.link("dev/mapper/group-volume", "../dm-0");
  system.mountinfo("30 1 0:40 / /data rw - btrfs /dev/mapper/group-volume rw\n");
  system.stat_says("/data", {0, 40});
  CHECK(identify("/data", system).kernel_name == "dm-0");
}

TEST_CASE("device identity: an overlay is resolved when its layers agree",
          "[unit][account][pure]") {
  FakeSystem system;
  add_sdr(system);
  system.mountinfo(
      "30 1 0:40 / /merged rw - overlay overlay "
      "rw,lowerdir=/a\\134:b:/lower,upperdir=/upper,workdir=/work,index=off\n");
  system.stat_says("/merged", {0, 40});
  system.stat_says("/a:b", {65, 17});
  system.stat_says("/upper", {65, 17});
  SECTION("on one device") {
    system.stat_says("/lower", {65, 17});
    CHECK(identify("/merged", system).kernel_name == "sdr");
  }
  SECTION("not on two") {
    system.stat_says("/lower", {65, 16});
    const auto identity = identify("/merged", system);
    CHECK_FALSE(identity.kernel_name);
    CHECK_FALSE(kernel_disk_of(identity));
    CHECK(identity.file_system == "overlay");
  }
  SECTION("not when a layer cannot be seen") {
    CHECK_FALSE(identify("/merged", system).kernel_name);
  }
}

TEST_CASE("device identity: file systems without a device have a name and a source",
          "[unit][account][pure]") {
  FakeSystem system;
  system.mountinfo(
      "30 1 0:40 / /net rw - nfs4 server:/export rw\n"
      "31 1 0:41 / /union rw - fuse.mergerfs a:b rw\n");
  system.stat_says("/net/module", {0, 40});
  system.stat_says("/union", {0, 41});
  const auto net = identify("/net/module", system);
  CHECK(net.file_system == "nfs4");
  CHECK(net.mount_source == "server:/export");
  CHECK_FALSE(net.kernel_name);
  CHECK_FALSE(net.number);
  CHECK(identify("/union", system).file_system == "fuse.mergerfs");
}

TEST_CASE("device identity: where everything is missing nothing is guessed",
          "[unit][account][pure]") {
  FakeSystem system;
  system.stat_says("/data", {8, 17});
  const auto identity = identify("/data", system);
  CHECK_FALSE(identity.kernel_name);
  CHECK_FALSE(identity.partition);
  CHECK_FALSE(identity.file_system);
  CHECK_FALSE(identity.facts.size_bytes);
  CHECK_FALSE(identity.facts.sys_path);
  CHECK(identity.number == DeviceNumber{8, 17});  // that much stat said

  auto roots = system.roots();
  roots.sys = roots.proc = roots.run = roots.dev = "/nowhere";
  CHECK(identify_device_of("/data", roots)->number == DeviceNumber{8, 17});
  CHECK_FALSE(identify_device({0, 40}, roots).number);

  const auto unknown = identify_device_of("/else", system.roots());
  REQUIRE_FALSE(unknown.has_value());
  CHECK(unknown.error().code == mark6::ErrorCode::kNotFound);
}

TEST_CASE("device identity: circles come to an end", "[unit][account][pure]") {
  FakeSystem system;
  for (const char* name : {"dm-0", "dm-1", "dm-2", "dm-3"}) {
    const std::string path = std::string("virtual/block/") + name;
    system.block_device(path, std::string("253:") + name[3]);
    for (const char* slave : {"dm-0", "dm-1", "dm-2", "dm-3"}) {
      system.link("sys/devices/" + path + "/slaves/" + slave, std::string("../../") + slave);
    }
  }
  const auto identity = identify_device({253, 0}, system.roots());
  CHECK(identity.kernel_name == "dm-0");
  CHECK(devices_in(identity) > 4);
  CHECK(devices_in(identity) <= 256);
}

TEST_CASE("device identity: links in circles and out of the tree are not followed",
          "[unit][account][pure]") {
  FakeSystem system;
  system.link("sys/dev/block/8:0", "8:16");
  system.link("sys/dev/block/8:16", "8:0");
  CHECK_FALSE(identify_device({8, 0}, system.roots()).kernel_name);

  system.write("outside/sdz/dev", "8:32\n");
  system.write("outside/sdz/size", "100\n");
  system.link("sys/dev/block/8:32", system.path("outside/sdz"));
  const auto outside = identify_device({8, 32}, system.roots());
  CHECK_FALSE(outside.kernel_name);
  CHECK_FALSE(outside.facts.size_bytes);

  add_sdr(system);
  system.link("sys/devices/" + kSas + "block/sdr/queue", system.path("outside/sdz"));
  system.write("outside/sdz/nr_requests", "100\n");
  CHECK_FALSE(identify_device({65, 16}, system.roots()).facts.nr_requests);
}
