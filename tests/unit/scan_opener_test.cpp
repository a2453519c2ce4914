// SPDX-License-Identifier: MIT
#include "common/catalog/scan_opener.hpp"

#include <fcntl.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include <array>
#include <chrono>
#include <future>
#include <mutex>
#include <thread>

#include "tests/unit/catalog_fixture.hpp"

using namespace mark6;

namespace {

Catalog catalog_in(const test::TempDir& dir) {
  auto catalog = discover(CatalogSources{{dir / "*/*"}, {}});
  if (!catalog) FAIL(describe(catalog.error()));
  return std::move(*catalog);
}

/// Scan `name` of 6 blocks over three disks.
void write_scan(const test::TempDir& dir, const std::string& name = "a.vdif") {
  dir.write("1/0/data/" + name, test::fragment({0, 3}));
  dir.write("1/1/data/" + name, test::fragment({1, 4}));
  dir.write("1/2/data/" + name, test::fragment({2, 5}));
}

OpenedScanPtr opened(const test::TempDir& dir, const std::string& name = "a.vdif") {
  const Catalog catalog = catalog_in(dir);
  return open_scan(*catalog.find(name), catalog.disks.size());
}

/// One fragment whose first block starts with `packets`.
OpenedScanPtr opened_with_packets(const std::string& packets, std::uint32_t packet_bytes) {
  const test::TempDir dir;
  dir.write("1/0/data/a.vdif",
            test::file_header(packet_bytes, static_cast<std::uint32_t>(packets.size())) +
                test::block(0, packets));
  return opened(dir);
}

}  // namespace

TEST_CASE("scan opener: the fragments of all disks become one index", "[unit]") {
  const test::TempDir dir;
  write_scan(dir);
  const OpenedScanPtr scan = opened(dir);
  REQUIRE(scan);
  CHECK(scan->name == "a.vdif");
  CHECK(scan->index.size_bytes() == 6UL * test::kPayloadBytes);
  CHECK(scan->index.state() == sg::ScanState::kComplete);
  CHECK(scan->index.packet_size() == test::kPacketBytes);
  REQUIRE(scan->files.size() == 3);
  for (const auto& file : scan->files) CHECK(file.has_value());
  CHECK(scan->open_problems.empty());
  CHECK(scan->start_unix_s == test::kStartUnix);
  CHECK_FALSE(scan->is_mark5b);
}

TEST_CASE("scan opener: a fragment that cannot be opened leaves the others usable", "[unit]") {
  const test::TempDir dir;
  write_scan(dir);
  const Catalog catalog = catalog_in(dir);
  std::filesystem::remove(dir / "1/1/data/a.vdif");
  const OpenedScanPtr scan = open_scan(catalog.scans[0], catalog.disks.size());
  CHECK(scan->index.size_bytes() == 4UL * test::kPayloadBytes);
  CHECK(scan->index.state() == sg::ScanState::kDamaged);
  REQUIRE(scan->open_problems.size() == 1);
  CHECK(scan->open_problems[0].find("1/1/data/a.vdif") != std::string::npos);
  CHECK_FALSE(scan->files[1]);
  CHECK(scan->files[2]);
}

TEST_CASE("scan opener: a scan without a single usable fragment is opened, and empty", "[unit]") {
  const test::TempDir dir;
  dir.write("1/0/data/a.vdif", "");
  const OpenedScanPtr scan = opened(dir);
  CHECK(scan->index.size_bytes() == 0);
  CHECK_FALSE(scan->start_unix_s);
  CHECK(open_scan(Scan{"none", {}}, 0)->index.size_bytes() == 0);
}

TEST_CASE("scan opener: the start is the time of the first valid frame", "[unit]") {
  const std::string invalid = test::vdif_frame(7, 0, true);
  const std::string valid = test::vdif_frame(test::kEpochSeconds, 3);
  const std::string fill = test::fill_packet();
  CHECK(opened_with_packets(fill + invalid + valid, test::kPacketBytes)->start_unix_s ==
        test::kStartUnix);
  std::string many;
  for (int i = 0; i < 1000; ++i) many += fill;
  CHECK(opened_with_packets(many + valid, test::kPacketBytes)->start_unix_s == test::kStartUnix);
  CHECK_FALSE(opened_with_packets(fill + fill + invalid, test::kPacketBytes)->start_unix_s);
}

TEST_CASE("scan opener: Mark5B frames are recognised whatever the header says", "[unit]") {
  std::string frame = test::le32(0xabaddeedU) + test::le32(0) + test::le32(0x10230903U);
  frame.resize(10'016, 'x');
  const test::TempDir dir;
  const std::string path = dir.write(
      "1/0/data/a", test::file_header(10'016, 2 * 10'016) + test::block(0, frame + frame));
  const timespec date{test::kStartUnix, 0};
  const std::array<timespec, 2> times{date, date};
  REQUIRE(::utimensat(AT_FDCWD, path.c_str(), times.data(), 0) == 0);
  const OpenedScanPtr scan = opened(dir, "a");
  CHECK(scan->is_mark5b);
  CHECK(scan->start_unix_s == test::kStartUnix);
  CHECK(scan->index.size_bytes() == 2UL * 10'016);
}

TEST_CASE("scan opener: an urgent scan comes before those that wait", "[unit]") {
  const test::TempDir dir;
  for (const char* name : {"a", "b", "c", "d"}) {
    dir.write(std::string("1/0/data/") + name, test::fragment({0}));
  }
  const Catalog catalog = catalog_in(dir);
  std::promise<void> go;
  std::promise<void> all_done;
  std::vector<std::string> order;  // written by the one disk thread alone
  ScanOpener opener(1);
  opener.open(catalog.scans[0], false, [&](const OpenedScanPtr& scan) {
    order.push_back(scan->name);
    go.get_future().wait();
  });
  const auto note = [&](const OpenedScanPtr& scan) {
    order.push_back(scan->name);
    if (order.size() == 4) all_done.set_value();
  };
  opener.open(catalog.scans[1], false, note);
  opener.open(catalog.scans[2], false, note);
  opener.open(catalog.scans[3], true, note);
  go.set_value();
  all_done.get_future().wait();
  // The first may have been overtaken before its thread took it up.
  order.erase(std::find(order.begin(), order.end(), "a"));
  CHECK(order == std::vector<std::string>{"d", "b", "c"});
}

TEST_CASE("scan opener: a disk that hangs does not hold up scans on other disks", "[unit]") {
  const test::TempDir dir;
  dir.write("1/0/data/hangs", test::fragment({0}));
  dir.write("1/1/data/works", test::fragment({0}));
  const Catalog catalog = catalog_in(dir);
  std::promise<void> other_done;
  const std::shared_future<void> other = other_done.get_future();
  ScanOpener opener(2);
  opener.open(*catalog.find("hangs"), false, [&](const OpenedScanPtr&) { other.wait(); });
  opener.open(*catalog.find("works"), false, [&](const OpenedScanPtr&) { other_done.set_value(); });
  CHECK(other.wait_for(std::chrono::seconds(60)) == std::future_status::ready);
}

TEST_CASE("scan opener: once destroyed it calls nobody", "[unit]") {
  const test::TempDir dir;
  write_scan(dir, "a");
  write_scan(dir, "b");
  const Catalog catalog = catalog_in(dir);
  std::promise<void> go;
  std::atomic<int> calls{0};
  std::jthread later;
  {
    ScanOpener opener(1);
    opener.open(catalog.scans[0], false, [&](const OpenedScanPtr&) {
      ++calls;
      go.get_future().wait();
    });
    while (calls == 0) std::this_thread::yield();
    opener.open(catalog.scans[1], false, [&](const OpenedScanPtr&) { ++calls; });
    later = std::jthread([&go] {
      std::this_thread::sleep_for(std::chrono::milliseconds(300));
      go.set_value();
    });
  }
  CHECK(calls == 1);
}

TEST_CASE("scan opener: running out of descriptors is told with the cure", "[unit]") {
  const test::TempDir dir;
  write_scan(dir);
  const Catalog catalog = catalog_in(dir);
  struct rlimit before {};
  REQUIRE(::getrlimit(RLIMIT_NOFILE, &before) == 0);
  const int next = ::dup(0);
  ::close(next);
  const struct rlimit tight { static_cast<rlim_t>(next), before.rlim_max };
  REQUIRE(::setrlimit(RLIMIT_NOFILE, &tight) == 0);
  const OpenedScanPtr scan = open_scan(catalog.scans[0], catalog.disks.size());
  REQUIRE(::setrlimit(RLIMIT_NOFILE, &before) == 0);
  REQUIRE(scan->open_problems.size() == 3);
  CHECK(scan->open_problems[0].find("ulimit -n") != std::string::npos);
}
