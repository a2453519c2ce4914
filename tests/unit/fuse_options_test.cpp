// SPDX-License-Identifier: MIT
#include <algorithm>
#include <catch2/catch.hpp>
#include <string>
#include <vector>

#include "fuse/options.hpp"

using mark6::FuseOptions;
using mark6::parse_fuse_options;
using mark6::split_mount_words;
using Words = std::vector<std::string>;

namespace {

FuseOptions parsed(const Words& args) {
  const auto options = parse_fuse_options(args);
  INFO((options ? std::string() : mark6::describe(options.error())));
  REQUIRE(options);
  return *options;
}

std::string refused(const Words& args) {
  const auto options = parse_fuse_options(args);
  REQUIRE(!options);
  CHECK(options.error().code == mark6::ErrorCode::kUsage);
  return mark6::describe(options.error());
}

}  // namespace

TEST_CASE("mark6fs options: the last name is the mount point", "[unit]") {
  CHECK(parsed({"/mnt/vlbi"}).mount_point == "/mnt/vlbi");
  CHECK(parsed({"/mnt/vlbi"}).sources.empty());
  CHECK(parsed({"/mnt/vlbi"}).fs_name == "mark6fs");
  const auto expanded = parsed({"/d/1/0", "/d/1/1", "/d/2/0", "/mnt"});
  CHECK(expanded.sources == Words{"/d/1/0", "/d/1/1", "/d/2/0"});
  CHECK(expanded.fs_name == "mark6fs");
  const auto quoted = parsed({"/d/[12]/*", "/mnt"});
  CHECK(quoted.sources == Words{"/d/[12]/*"});
  CHECK(quoted.fs_name == "/d/[12]/*");
}

TEST_CASE("mark6fs options: a source with a comma or a space is taken literally", "[unit]") {
  CHECK(parsed({"/d/a,b c/*", "/mnt"}).sources == Words{"/d/a,b c/*"});
  CHECK(parsed({"--", "-odd/*", "/mnt"}).sources == Words{"-odd/*"});
}

TEST_CASE("mark6fs options: the order of fstab and mount.fuse3 works", "[unit]") {
  const auto options = parsed(
      {"mark6fs", "/mnt/vlbi", "-o", "rw,allow_other,timeout=5,dev,suid,x-systemd.automount"});
  CHECK(options.sources.empty());
  CHECK(options.mount_point == "/mnt/vlbi");
  CHECK(options.allow_other);
  CHECK(options.asked_for_rw);
  CHECK(options.timeout == std::chrono::seconds(5));
  for (const char* word : {"none", "mark6", ""}) CHECK(parsed({word, "/mnt"}).sources.empty());
  CHECK(parsed({"none", "/d/1/0", "/mnt"}).sources == Words{"none", "/d/1/0"});
}

TEST_CASE("mark6fs options: -o stands anywhere, repeated, attached or apart", "[unit]") {
  const auto options = parsed(
      {"-ocache=kernel", "/d/*", "-o", "allow_root", "/mnt", "-fo", "memory=2G,meta_root=/m\\,1"});
  CHECK(options.kernel_cache);
  CHECK(options.allow_root);
  CHECK(options.foreground);
  CHECK(options.memory_bytes == 2'000'000'000U);
  CHECK(options.meta_root == "/m,1");
  CHECK(options.sources == Words{"/d/*"});
  CHECK_FALSE(parsed({"/mnt", "-o", "cache=kernel,cache=none"}).kernel_cache);
  CHECK(parsed({"/mnt", "-o", "index=walk"}).index_by == mark6::IndexBy::kWalk);
}

TEST_CASE("mark6fs options: long forms do the same as -o", "[unit]") {
  const auto options =
      parsed({"--memory", "64MiB", "--timeout=0.5", "--meta-root=/meta", "--debug", "-q", "/mnt"});
  CHECK(options.memory_bytes == 64U << 20);
  CHECK(options.timeout == std::chrono::milliseconds(500));
  CHECK(options.meta_root == "/meta");
  CHECK(options.debug);
  CHECK(options.foreground);
  CHECK(options.verbosity == mark6::Verbosity::kQuiet);
}

TEST_CASE("mark6fs options: statistics go to two files, every so many seconds", "[unit]") {
  const auto options =
      parsed({"-o", "stats=/s.json,stats_interval=0.5", "--prometheus=s.prom", "/mnt"});
  CHECK(options.stats.json_file == "/s.json");
  CHECK(options.stats.prometheus_file == "s.prom");
  CHECK(options.stats.interval == std::chrono::milliseconds(500));
  CHECK(parsed({"--stats-interval", "2", "/mnt"}).stats.interval == std::chrono::seconds(2));
}

TEST_CASE("mark6fs options: every generic word of mount(8) is accepted", "[unit]") {
  const auto options = parsed({"/mnt", "-o",
                               "ro,auto,noauto,user,users,nouser,owner,group,nofail,defaults,"
                               "_netdev,dev,nodev,suid,nosuid,exec,noexec,atime,noatime,relatime,"
                               "norelatime,strictatime,lazytime,nodiratime,default_permissions,"
                               "async,x-gvfs-hide,comment=vlbi,fsname=a\\,b,subtype=m6,"
                               "max_read=65536,auto_unmount,,"});
  CHECK(options.fs_name == "a,b");
  CHECK(options.subtype == "m6");
  CHECK(options.max_read == 65536U);
  CHECK(options.auto_unmount);
  CHECK_FALSE(options.allow_other);
}

TEST_CASE("mark6fs options: what is not understood is named", "[unit]") {
  CHECK(refused({"-o", "frobnicate", "/mnt"}).find("frobnicate") != std::string::npos);
  CHECK(refused({"-o", "ro,colour=red", "/mnt"}).find("colour=red") != std::string::npos);
  CHECK(refused({"--frob", "/mnt"}).find("--frob") != std::string::npos);
  CHECK(refused({"-x", "/mnt"}).find("-x") != std::string::npos);
  CHECK(refused({"/mnt", "-o"}).find("-o") != std::string::npos);
  CHECK(refused({"/mnt", "--memory"}).find("--memory") != std::string::npos);
  for (const char* word : {"timeout=", "timeout=0", "timeout=-1", "timeout=nan", "timeout=5s",
                           "memory=0", "memory=much", "cache=maybe", "max_read=1", "fsname=",
                           "stats=", "prometheus=", "stats_interval=0", "stats_interval=soon"}) {
    CHECK(refused({"-o", word, "/mnt"}).find(word) != std::string::npos);
  }
  CHECK(refused({}).find("mount point") != std::string::npos);
  CHECK(refused({"-f"}).find("mount point") != std::string::npos);
}

TEST_CASE("mark6fs options: help and version need no mount point", "[unit]") {
  CHECK(parsed({"--help"}).show_help);
  CHECK(parsed({"--version"}).show_version);
  const auto help = mark6::fuse_help();
  CHECK(std::count(help.begin(), help.end(), '\n') <= 30);
  std::size_t longest = 0;
  for (std::size_t at = 0, end = 0; (end = help.find('\n', at)) != std::string::npos;
       at = end + 1) {
    longest = std::max(longest, end - at);
  }
  CHECK(longest <= 100);
  CHECK(help.find("fuse.mark6fs") != std::string::npos);
}

TEST_CASE("mark6fs options: comma lists are split with their escapes", "[unit]") {
  CHECK(split_mount_words("a,b=c,,d") == Words{"a", "b=c", "d"});
  CHECK(split_mount_words("a\\,b,c\\\\d\\e") == Words{"a,b", "c\\d\\e"});
  CHECK(split_mount_words("").empty());
}
