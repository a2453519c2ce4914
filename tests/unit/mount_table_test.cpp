// SPDX-License-Identifier: MIT
#include "common/account/mount_table.hpp"

#include <catch2/catch.hpp>

using mark6::DeviceNumber;
using mark6::Mount;
using mark6::mount_of;
using mark6::overlay_layers;
using mark6::parse_mounts;

namespace {

std::string source_of(const std::vector<Mount>& mounts, std::string_view path,
                      DeviceNumber number) {
  const Mount* mount = mount_of(mounts, path, number);
  return mount == nullptr ? "none" : mount->source;
}

}  // namespace

TEST_CASE("mount table: lines with any number of tags are understood", "[unit][account][pure]") {
  const auto mounts = parse_mounts(
      "30 1 8:1 / /a rw - xfs /dev/sda1 rw,attr2\n"
      "31 1 8:2 /sub /b\\040c\\134 rw,noatime shared:1 master:2 - ext4 /dev/sdb\\0401 rw\n"
      "32 1 0:5 / /d rw - fuse.x  rw\n");
  REQUIRE(mounts.size() == 3);
  CHECK(mounts[0].number == DeviceNumber{8, 1});
  CHECK(mounts[0].options == "rw,attr2");
  CHECK(mounts[1].mount_point == "/b c\\");
  CHECK(mounts[1].file_system == "ext4");
  CHECK(mounts[1].source == "/dev/sdb 1");
  CHECK(mounts[2].source.empty());  // some mounts have none
}

TEST_CASE("mount table: lines that make no sense are left out", "[unit][account][pure]") {
  CHECK(parse_mounts("").empty());
  CHECK(parse_mounts("\n\n \n-\n").empty());
  CHECK(parse_mounts("30 1 8:1 / /a rw\n").empty());
  CHECK(parse_mounts("30 1 x:1 / /a rw - xfs /dev/sda1 rw\n").empty());
  CHECK(parse_mounts("30 1 8:1 / a rw - xfs /dev/sda1 rw\n").empty());
  CHECK(parse_mounts(std::string(1 << 20, 'x')).empty());
  CHECK(parse_mounts("30 1 8:1 / /a\\04 rw - xfs /dev/sda1 rw")[0].mount_point == "/a\\04");
}

TEST_CASE("mount table: the innermost mount of the path counts", "[unit][account][pure]") {
  const auto mounts = parse_mounts(
      "1 0 8:1 / / rw - ext4 root rw\n"
      "2 1 8:2 / /mnt/a rw - xfs outer rw\n"
      "3 2 8:3 / /mnt/a/b rw - xfs inner rw\n"
      "4 3 8:4 / /mnt/a/b rw - xfs above rw\n"
      "5 1 0:9 / /mnt/s rw - btrfs subvolumes rw\n");
  CHECK(source_of(mounts, "/mnt/a/file", {8, 2}) == "outer");
  CHECK(source_of(mounts, "/mnt/a/b/file", {8, 4}) == "above");
  CHECK(source_of(mounts, "/mnt/a/b", {8, 3}) == "inner");  // seen from before the last mount
  CHECK(source_of(mounts, "/mnt/ab", {8, 1}) == "root");
  CHECK(source_of(mounts, "/mnt/s/x", {0, 77}) == "subvolumes");
  CHECK(source_of(mounts, "/mnt/s/x", {8, 77}) == "none");  // a real number must be found
  CHECK(source_of({}, "/", {8, 1}) == "none");
}

TEST_CASE("mount table: layers of an overlay", "[unit][account][pure]") {
  CHECK(overlay_layers("rw,lowerdir=/l1:/l\\0542::/data,upperdir=/u,workdir=/w") ==
        std::vector<std::string>{"/l1", "/l,2", "/data", "/u"});
  CHECK(overlay_layers("rw,lowerdir+=/l1,lowerdir+=/l2") == std::vector<std::string>{"/l1", "/l2"});
  CHECK(overlay_layers("").empty());
}
