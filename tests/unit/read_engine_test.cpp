// SPDX-License-Identifier: MIT
#include "common/read/read_engine.hpp"

#include <algorithm>
#include <array>
#include <catch2/catch.hpp>
#include <cerrno>
#include <future>
#include <map>
#include <mutex>
#include <numeric>

#include "common/base/clock.hpp"
#include "common/os/file.hpp"
#include "common/os/page_cache.hpp"
#include "common/read/thread_backend.hpp"
#include "common/read/uring_backend.hpp"
#include "tests/support/fault_backend.hpp"
#include "tests/support/temporary.hpp"

using namespace mark6;

namespace {

class TestRead final : public ReadRequest {
 public:
  TestRead(const DataFile& file, std::uint64_t at, std::uint32_t bytes,
           const void* whose = nullptr) {
    fd = file.buffered_fd();
    buffered = true;
    offset = at;
    length = needed = bytes;
    memory.resize(bytes);
    into = memory.data();
    stream = whose;
  }
  void finished(int error) override {
    if (order != nullptr) order->push_back(this);
    outcome.set_value(error);
  }
  void timed_out() override { gave_up.set_value(); }
  [[nodiscard]] bool wanted() const override { return is_wanted; }
  int wait() { return outcome.get_future().get(); }

  std::vector<std::byte> memory;
  bool is_wanted = true;
  std::promise<void> gave_up;
  std::vector<TestRead*>* order = nullptr;  ///< written by the reaper only
  std::promise<int> outcome;
};

std::string pattern(std::size_t bytes) {
  std::string text(bytes, '\0');
  std::uint32_t state = 1;
  for (char& c : text) c = static_cast<char>((state = state * 1664525 + 1013904223) >> 24);
  return text;
}

std::unique_ptr<ReadEngine> engine_with(BackendFactory backend, std::size_t disks = 2) {
  return ReadEngine::start(disks, {.depth = 2, .memory_bytes = 1 << 20, .backend = backend})
      .value();
}

bool same(const TestRead& read, const std::string& all) {
  return std::equal(
      read.memory.begin(), read.memory.end(),
      std::as_bytes(std::span(all)).begin() + static_cast<std::ptrdiff_t>(read.offset));
}

}  // namespace

TEST_CASE("read engine: io_uring and threads bring the same bytes", "[unit]") {
  const test::TemporaryDirectory directory;
  const std::string bytes = pattern(300'000);
  auto file = DataFile::open(directory.write("f", bytes)).value();
  const std::array<BackendFactory, 2> backends = {
      make_uring_backend,
      [](std::size_t disks, std::size_t depth) -> Result<std::unique_ptr<ReadBackend>> {
        return make_thread_backend(disks, depth);
      }};
  for (const auto& backend : backends) {
    if (const auto probe = backend(1, 1); !probe) {
      WARN(describe(probe.error()));
      continue;
    }
    auto engine = engine_with(backend);
    CAPTURE(engine->backend_name());
    std::vector<std::unique_ptr<TestRead>> reads;
    for (std::uint64_t at = 0; at < bytes.size(); at += 10'000) {
      reads.push_back(std::make_unique<TestRead>(file, at, 10'000));
      reads.back()->disk = DiskIndex(static_cast<std::uint32_t>(reads.size() % 2));
      engine->submit(reads.back().get(), reads.back().get());
    }
    for (auto& read : reads) {
      REQUIRE(read->wait() == 0);
      CHECK(same(*read, bytes));
    }
    const auto first = engine->counters(DiskIndex(0)).snapshot(monotonic_ns());
    const auto second = engine->counters(DiskIndex(1)).snapshot(monotonic_ns());
    CHECK(first.requests + second.requests == reads.size());
    CHECK(first.bytes + second.bytes == bytes.size());
    CHECK(first.in_flight == 0);
    CHECK(first.latency_max_ns > 0);
  }
}

TEST_CASE("read engine: short reads and EAGAIN are completed, not reported", "[unit]") {
  const test::TemporaryDirectory directory;
  const std::string bytes = pattern(100'000);
  auto file = DataFile::open(directory.write("f", bytes)).value();
  int calls = 0;
  auto engine = engine_with(test::faulty([&calls](const BackendRead&, std::int64_t result) {
    ++calls;
    if (calls % 3 == 0) return std::int64_t{-EAGAIN};
    return std::min<std::int64_t>(result, 7'000);  // what lies behind is read again
  }));
  TestRead read(file, 0, 100'000);
  engine->submit(&read, &read);
  REQUIRE(read.wait() == 0);
  CHECK(same(read, bytes));
  CHECK(engine->counters(DiskIndex(0)).snapshot(0).retries >= 14);
}

TEST_CASE("read engine: an error is reported once and costs nothing else", "[unit]") {
  const test::TemporaryDirectory directory;
  const std::string bytes = pattern(30'000);
  auto file = DataFile::open(directory.write("f", bytes)).value();
  auto engine = engine_with(test::faulty([](const BackendRead& read, std::int64_t result) {
    return read.offset == 10'000 ? std::int64_t{-EIO} : result;
  }));
  TestRead good(file, 0, 10'000);
  TestRead bad(file, 10'000, 10'000);
  bad.narrow = false;
  TestRead after(file, 20'000, 10'000);
  for (TestRead* read : {&good, &bad, &after}) engine->submit(read, read);
  CHECK(good.wait() == 0);
  CHECK(bad.wait() == EIO);
  CHECK(after.wait() == 0);
  CHECK(same(after, bytes));
  CHECK(engine->counters(DiskIndex(0)).snapshot(0).errors == 1);
}

TEST_CASE("read engine: a file that has become shorter is ENODATA, not a hang", "[unit]") {
  const test::TemporaryDirectory directory;
  auto file = DataFile::open(directory.write("f", pattern(5'000))).value();
  auto engine = engine_with(default_backend());
  TestRead read(file, 0, 10'000);
  engine->submit(&read, &read);
  CHECK(read.wait() == ENODATA);
  TestRead enough(file, 0, 10'000);
  enough.needed = 5'000;
  engine->submit(&enough, &enough);
  CHECK(enough.wait() == 0);
}

TEST_CASE("read engine: what is no longer wanted is not read", "[unit]") {
  const test::TemporaryDirectory directory;
  auto file = DataFile::open(directory.write("f", pattern(5'000))).value();
  auto engine = engine_with(default_backend());
  TestRead read(file, 0, 100);
  read.is_wanted = false;
  engine->submit(&read, &read);
  CHECK(read.wait() == ECANCELED);
  CHECK(engine->counters(DiskIndex(0)).snapshot(0).requests == 0);
}

TEST_CASE("read engine: two streams on a disk take turns in runs of 4 MiB", "[unit]") {
  const test::TemporaryDirectory directory;
  const std::string path = directory.write("f", "");
  std::filesystem::resize_file(path, 16 << 20);
  auto file = DataFile::open(path).value();
  auto engine =
      ReadEngine::start(1, {.depth = 1, .memory_bytes = 1, .backend = default_backend()}).value();
  std::vector<TestRead*> order;
  std::vector<std::unique_ptr<TestRead>> reads;
  int streams[2];
  for (int& stream : streams) {
    for (std::uint64_t i = 0; i < 12; ++i) {
      reads.push_back(std::make_unique<TestRead>(file, i << 20, 1U << 20, &stream));
      reads.back()->order = &order;
    }
  }
  for (std::size_t i = 0; i + 1 < reads.size(); ++i) ReadEngine::chain(*reads[i], *reads[i + 1]);
  engine->submit(reads.front().get(), reads.back().get());
  for (auto& read : reads) REQUIRE(read->wait() == 0);
  engine.reset();
  std::string turns;
  for (const TestRead* read : order) turns += read->stream == &streams[0] ? 'a' : 'b';
  CHECK(turns == "aaaabbbbaaaabbbbaaaabbbb");
}

TEST_CASE("read engine: what the kernel has in memory is taken from there", "[unit]") {
  const test::TemporaryDirectory directory;
  const std::string bytes = pattern(300'000);
  auto file = DataFile::open(directory.write("f", bytes)).value();
  if (!is_in_page_cache(file.buffered_fd(), 0, bytes.size())) {
    WARN("this kernel does not tell what it has in memory (cachestat, Linux 6.5)");
    return;
  }
  CHECK_FALSE(is_in_page_cache(file.buffered_fd(), 0, 400'000));  // the file ends before
  // Not even an open descriptor is needed for the disk then.
  auto engine = engine_with(default_backend(), 1);
  TestRead hot(file, 8192, 200'000);
  hot.fd = -1;
  hot.buffered = false;
  hot.cached_fd = file.buffered_fd();
  engine->submit(&hot, &hot);
  CHECK(hot.wait() == 0);
  CHECK(same(hot, bytes));
  const auto seen = engine->counters(DiskIndex(0)).snapshot(monotonic_ns());
  CHECK(seen.cached_bytes == 200'000);
  CHECK(seen.requests == 0);
  CHECK(seen.bytes == 0);
  // What lies partly beyond is the disk's.
  TestRead part(file, 200'000, 150'000);
  part.needed = 100'000;
  part.cached_fd = file.buffered_fd();
  engine->submit(&part, &part);
  CHECK(part.wait() == 0);
  TestRead beyond(file, 250'000, 100'000);
  beyond.cached_fd = file.buffered_fd();
  engine->submit(&beyond, &beyond);
  CHECK(beyond.wait() == ENODATA);
  CHECK(engine->counters(DiskIndex(0)).snapshot(monotonic_ns()).cached_bytes == 300'000);
}

TEST_CASE("read engine: what leaves the page cache meanwhile comes from the disk", "[unit]") {
  const test::TemporaryDirectory directory;
  const std::string bytes = pattern(300'000);
  auto file = DataFile::open(directory.write("f", bytes)).value();
  if (!is_in_page_cache(file.buffered_fd(), 0, bytes.size())) return;  // said above
  // As if the pages had gone between the question and the read: the first try brings a part only.
  int tries = 0;
  auto engine = engine_with(test::faulty([&tries](const BackendRead& read, std::int64_t result) {
                              static_cast<void>(read);
                              return ++tries == 1 ? std::min<std::int64_t>(result, 4096) : result;
                            }),
                            1);
  TestRead read(file, 0, 100'000);
  read.cached_fd = file.buffered_fd();
  engine->submit(&read, &read);
  CHECK(read.wait() == 0);
  CHECK(same(read, bytes));
  CHECK(tries == 2);
  const auto seen = engine->counters(DiskIndex(0)).snapshot(monotonic_ns());
  CHECK(seen.cached_bytes == 0);
  CHECK(seen.bytes == 100'000);
}
