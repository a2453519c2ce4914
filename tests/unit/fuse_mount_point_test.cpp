// SPDX-License-Identifier: MIT
#include <catch2/catch.hpp>
#include <fstream>
#include <string>

#include "fuse/mount_point.hpp"
#include "tests/support/temporary.hpp"

using mark6::parse_mountinfo;

TEST_CASE("mount point: mountinfo is read as proc(5) describes it", "[unit]") {
  const auto entries = parse_mountinfo(
      "36 35 98:0 / / rw,noatime master:1 shared:2 - ext3 /dev/root rw,errors=continue\n"
      "40 36 0:45 / /mnt/a\\040b\\134c ro,nosuid - fuse.mark6fs /d/1\\040,/* ro,user_id=0\n"
      "\nnot a line\n41 36 0:46 / /x ro - tmpfs\n");
  REQUIRE(entries.size() == 2);
  CHECK(entries[0].type == "ext3");
  CHECK(entries[0].mount_point == "/");
  CHECK(entries[1].device == "0:45");
  CHECK(entries[1].mount_point == "/mnt/a b\\c");
  CHECK(entries[1].type == "fuse.mark6fs");
  CHECK(entries[1].source == "/d/1 ,/*");
  CHECK_FALSE(entries[0].user);
  CHECK(entries[1].user == 0U);
}

TEST_CASE("mount point: the root of this machine is mounted, a fresh directory is not", "[unit]") {
  const mark6::test::TemporaryDirectory directory;
  CHECK(mark6::mounted_at("/"));
  CHECK_FALSE(mark6::mounted_at(directory.path().string()));
}

TEST_CASE("mount point: what cannot be mounted on is told with the cure", "[unit]") {
  const mark6::test::TemporaryDirectory directory;
  const std::string path = directory.path().string();
  CHECK(mark6::check_mount_point(path));

  const auto missing = mark6::check_mount_point(path + "/nope");
  REQUIRE_FALSE(missing);
  CHECK(missing.error().code == mark6::ErrorCode::kNotFound);
  CHECK(describe(missing.error()).find("mkdir -p") != std::string::npos);

  std::ofstream(path + "/file") << "x";
  const auto file = mark6::check_mount_point(path + "/file");
  REQUIRE_FALSE(file);
  CHECK(file.error().code == mark6::ErrorCode::kUsage);
}

TEST_CASE("mount point: a mount must not hide the disks that it serves", "[unit]") {
  CHECK(mark6::check_outside("/mnt/vlbi", {"/mnt/disks/1/0", "/mnt/vlbi2"}));
  CHECK_FALSE(mark6::check_outside("/mnt/disks", {"/mnt/disks/1/0"}));
  CHECK_FALSE(mark6::check_outside("/mnt/disks/1/0", {"/mnt/disks/1/0"}));
  CHECK_FALSE(mark6::check_outside("/", {"/mnt/disks/1/0"}));
}

TEST_CASE("mount point: fuse.conf permits sharing only by a line of its own", "[unit]") {
  CHECK(mark6::allows_user_allow_other("mount_max = 1000\n user_allow_other \n"));
  CHECK_FALSE(mark6::allows_user_allow_other("#user_allow_other\n# user_allow_other\n"));
  CHECK_FALSE(mark6::allows_user_allow_other("user_allow_others\n"));
  CHECK_FALSE(mark6::allows_user_allow_other(""));
}
