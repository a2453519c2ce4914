// SPDX-License-Identifier: MIT
#include "common/read/scan_stream.hpp"

#include <catch2/catch.hpp>
#include <cerrno>
#include <chrono>
#include <future>
#include <random>
#include <thread>

#include "common/base/clock.hpp"
#include "tests/support/fault_backend.hpp"
#include "tests/support/read_now.hpp"
#include "tests/support/stream_scan.hpp"

using namespace mark6;
using test::read_now;
using test::ScanShape;
using test::StreamScan;

namespace {

/// Without the page cache, which holds all that tests have just written: the disks' way is tested.
std::unique_ptr<ReadEngine> engine_for(const StreamScan& scan, std::uint64_t memory_bytes,
                                       BackendFactory backend = default_backend(),
                                       bool page_cache = false) {
  return ReadEngine::start(scan.source().files.size(), {.depth = 2,
                                                        .memory_bytes = memory_bytes,
                                                        .backend = std::move(backend),
                                                        .page_cache = page_cache})
      .value();
}

std::string text(Bytes bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

std::string take_all(ScanStream& stream, std::size_t max_bytes) {
  std::string all;
  ScanOffset begin;
  while (true) {
    const auto piece = stream.take(max_bytes, {});
    REQUIRE(piece.has_value());
    if (piece->empty()) return all;
    if (all.empty()) begin = piece->offset();
    REQUIRE(piece->offset() - begin == all.size());
    REQUIRE(piece->bytes().size() <= max_bytes);
    all += text(piece->bytes());
  }
}

}  // namespace

TEST_CASE("scan stream: take() gives the flat scan, whatever its shape and the memory", "[unit]") {
  const std::vector<ScanShape> shapes = {
      {.disks = 1, .blocks = 1, .smallest = 1, .largest = 1},
      {.disks = 4, .blocks = 300, .smallest = 1, .largest = 5'000, .seed = 2},
      {.disks = 16, .blocks = 60, .smallest = 50'000, .largest = 200'000, .seed = 3},
      {.disks = 3, .blocks = 9, .smallest = 1'000'000, .largest = 3'500'000, .seed = 4},
      {.disks = 2, .blocks = 2, .smallest = 17'000'000, .largest = 34'000'000, .seed = 5},
  };
  for (const ScanShape& shape : shapes) {
    const StreamScan scan(shape);
    for (const std::uint64_t memory : {std::uint64_t{1}, std::uint64_t{256} << 20}) {
      for (const auto& [direct, cache] : {std::pair{true, true}, {true, false}, {false, false}}) {
        CAPTURE(shape.seed, memory, direct, cache);
        auto engine = engine_for(scan, memory);
        auto stream = ScanStream::open(*engine, scan.source(direct), {.sequential = true});
        CHECK((take_all(*stream, 777'777) == scan.flat()));
        CHECK(stream->delivered_bytes() == scan.flat().size());
      }
    }
  }
}

TEST_CASE("scan stream: take() honours begin and end", "[unit]") {
  const StreamScan scan({.blocks = 50});
  auto engine = engine_for(scan, 64 << 20);
  const ScanStreamOptions options{
      .begin = ScanOffset(123'457), .end = ScanOffset(456'789), .sequential = true};
  auto stream = ScanStream::open(*engine, scan.source(), options);
  std::string all;
  while (true) {
    const auto piece = stream->take(1 << 20, {});
    REQUIRE(piece);
    if (piece->empty()) break;
    all += text(piece->bytes());
  }
  CHECK((all == scan.flat().substr(123'457, 456'789 - 123'457)));
}

TEST_CASE("scan stream: the window reads all disks ahead and stays within the budget", "[unit]") {
  const StreamScan scan({.disks = 8, .blocks = 64, .smallest = 300'000, .largest = 300'000});
  constexpr std::uint64_t kBudget = 6'000'000;
  auto engine = engine_for(scan, kBudget);
  auto stream = ScanStream::open(*engine, scan.source(), {.sequential = true});
  std::vector<Piece> held;
  while (held.size() < 8) held.push_back(stream->take(300'000, {}).value());
  CHECK(stream->window_bytes() > 10 * 300'000);
  CHECK(engine->pool().used_bytes() <= kBudget);
  held.clear();
  CHECK(take_all(*stream, 1 << 20).size() < scan.flat().size());
  CHECK(engine->pool().peak_bytes() <= kBudget);
  for (std::uint32_t disk = 0; disk < 8; ++disk) {
    CHECK(engine->counters(DiskIndex(disk)).snapshot(monotonic_ns()).bytes > 0);
  }
}

TEST_CASE("scan stream: the window reaches over all disks once they are waited for", "[unit]") {
  const StreamScan scan({.disks = 8, .blocks = 64, .smallest = 300'000, .largest = 300'000});
  const ScanStreamOptions options{.sequential = true, .first_reach_bytes = 700'000};
  for (const bool slow : {false, true}) {
    CAPTURE(slow);
    auto backend = test::faulty([slow](const BackendRead&, std::int64_t result) {
      if (slow) std::this_thread::sleep_for(std::chrono::milliseconds(3));
      return result;
    });
    auto engine = engine_for(scan, 64 << 20, std::move(backend));
    auto stream = ScanStream::open(*engine, scan.source(), options);
    for (int i = 0; i < 4; ++i) REQUIRE(stream->take(300'000, {}));
    // Two blocks to begin with; three of each disk when they were waited for.
    if (slow) {
      CHECK(stream->window_bytes() > 22 * 300'000);
    } else {  // a busy machine may be as slow as a disk, and so the window longer
      CHECK(stream->window_bytes() > 300'000);
    }
    CHECK((take_all(*stream, 1 << 20) == scan.flat().substr(1'200'000)));
  }
}

TEST_CASE("scan stream: random reads by many threads match the flat scan", "[unit]") {
  const StreamScan scan({.disks = 5, .blocks = 200, .largest = 60'000, .seed = 7});
  auto engine = engine_for(scan, 32 << 20);
  auto stream = ScanStream::open(*engine, scan.source(), {});
  std::atomic<int> wrong{0};
  std::vector<std::jthread> readers;
  for (unsigned seed = 0; seed < 4; ++seed) {
    readers.emplace_back([&, seed] {
      std::mt19937_64 random(seed);
      for (int i = 0; i < 500; ++i) {
        const std::uint64_t offset = random() % (scan.flat().size() + 1000);
        const std::size_t length = i % 10 == 0 ? random() % 900'000 : random() % 9'000;
        const std::string expected =
            offset < scan.flat().size() ? scan.flat().substr(offset, length) : "";
        if (read_now(*stream, offset, length) != expected) ++wrong;
      }
    });
  }
  readers.clear();
  CHECK(wrong == 0);
}

TEST_CASE("scan stream: sequential reads open the window, random ones close it", "[unit]") {
  const StreamScan scan({.disks = 4, .blocks = 100, .smallest = 90'000, .largest = 90'000});
  auto engine = engine_for(scan, 3 << 20);
  auto stream = ScanStream::open(*engine, scan.source(), {});
  CHECK((read_now(*stream, 0, 65'536) == scan.flat().substr(0, 65'536)));
  CHECK(stream->window_bytes() == 0);
  std::string all = scan.flat().substr(0, 65'536);
  while (all.size() < 2'000'000) all += read_now(*stream, all.size(), 65'536);
  CHECK((all == scan.flat().substr(0, all.size())));
  CHECK(stream->window_bytes() > 3 * 90'000);
  read_now(*stream, 2'100'000, 4096);  // forward inside the window
  CHECK(stream->window_bytes() > 0);
  read_now(*stream, 0, 4096);
  CHECK(stream->window_bytes() > 0);  // one miss is forgiven
  read_now(*stream, 8'000'000, 4096);
  CHECK(stream->window_bytes() == 0);
  CHECK(engine->pool().used_bytes() <= std::uint64_t{3} << 20);
}

TEST_CASE("scan stream: a bad block fails alone", "[unit]") {
  const StreamScan scan({.disks = 3, .blocks = 30, .smallest = 50'000, .largest = 50'000});
  const auto& bad = scan.index().extents()[7];
  const std::uint64_t bad_byte = bad.file_offset().value + 25'000;
  const int bad_fd = scan.source().files[bad.fragment().value].direct_fd;
  const int bad_buffered = scan.source().files[bad.fragment().value].buffered_fd;
  auto engine =
      engine_for(scan, 64 << 20, test::faulty([=](const BackendRead& read, std::int64_t result) {
                   const bool hit = (read.fd == bad_fd || read.fd == bad_buffered) &&
                                    read.offset <= bad_byte && bad_byte < read.offset + read.length;
                   return hit ? std::int64_t{-EIO} : result;
                 }));

  auto reader = ScanStream::open(*engine, scan.source(), {});
  CHECK(read_now(*reader, 7 * 50'000, 50'000) == "error 5");
  CHECK((read_now(*reader, 6 * 50'000, 50'000) == scan.flat().substr(6 * 50'000, 50'000)));
  CHECK((read_now(*reader, 8 * 50'000, 50'000) == scan.flat().substr(8 * 50'000, 50'000)));

  auto taker = ScanStream::open(*engine, scan.source(), {.sequential = true});
  std::string got;
  int errors = 0;
  while (true) {
    const auto piece = taker->take(1 << 20, {});
    if (!piece) {
      ++errors;
      CHECK(piece.error().path == scan.path(bad.fragment().value));
      continue;
    }
    if (piece->empty()) break;
    got += text(piece->bytes());
  }
  CHECK(errors == 1);
  // The bytes before the bad sector come, the rest of the block does not.
  const std::uint64_t lost = taker->lost_bytes();
  CHECK(lost >= 25'000);
  CHECK(lost <= 25'000 + 4096);
  CHECK((got == scan.flat().substr(0, 8 * 50'000 - lost) + scan.flat().substr(8 * 50'000)));
}

TEST_CASE("scan stream: a consumer that waits for a hung disk can be stopped", "[unit]") {
  const StreamScan scan({.disks = 1, .blocks = 2});
  std::promise<void> release;
  auto engine = engine_for(
      scan, 64 << 20,
      test::faulty([held = release.get_future().share()](const BackendRead&, std::int64_t result) {
        held.wait();
        return result;
      }));
  auto stream = ScanStream::open(*engine, scan.source(), {.sequential = true});
  std::stop_source stop;
  auto taken =
      std::async(std::launch::async, [&] { return stream->take(1 << 20, stop.get_token()); });
  CHECK(taken.wait_for(std::chrono::milliseconds(50)) == std::future_status::timeout);
  stop.request_stop();
  CHECK(taken.get().error().code == ErrorCode::kInterrupted);
  // The stream may go while its reads are still out.
  stream.reset();
  release.set_value();
}

TEST_CASE("scan stream: the ledger accounts for the whole time", "[unit]") {
  const StreamScan scan({.disks = 4, .blocks = 40});
  auto engine = engine_for(scan, 64 << 20);
  auto stream = ScanStream::open(*engine, scan.source(), {.sequential = true});
  take_all(*stream, 1 << 20);
  const auto spent = stream->ledger().snapshot(monotonic_ns());
  std::int64_t sum = spent.sink_ns + spent.work_ns;
  for (const std::int64_t ns : spent.disk_ns) sum += ns;
  CHECK(sum == spent.elapsed_ns);
}

TEST_CASE("scan stream: a reader that comes later gets its share of the memory", "[unit]") {
  const StreamScan scan({.disks = 4, .blocks = 100, .smallest = 100'000, .largest = 100'000});
  constexpr std::uint64_t kBudget = 4'000'000;
  auto engine = engine_for(scan, kBudget);
  auto first = ScanStream::open(*engine, scan.source(), {});
  std::string all;
  while (all.size() < 3'000'000) all += read_now(*first, all.size(), 65'536);
  CHECK(first->window_bytes() > kBudget / 2);
  auto second = ScanStream::open(*engine, scan.source(), {});
  std::string other;
  while (other.size() < 3'000'000) other += read_now(*second, other.size(), 65'536);
  CHECK(first->window_bytes() <= kBudget / 2);
  CHECK(second->window_bytes() > kBudget / 4);
  CHECK((other == scan.flat().substr(0, other.size())));
  while (all.size() < scan.flat().size()) all += read_now(*first, all.size(), 65'536);
  CHECK((all == scan.flat()));
}
