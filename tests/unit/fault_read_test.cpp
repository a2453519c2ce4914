// SPDX-License-Identifier: MIT
// What a disk that fails or hangs costs: its sectors, its blocks, its own reads; and nobody else
// anything. docs/reliability.md names these tests.
#include <catch2/catch.hpp>
#include <cerrno>
#include <chrono>
#include <filesystem>
#include <future>
#include <thread>

#include "common/base/clock.hpp"
#include "common/read/scan_stream.hpp"
#include "tests/support/fault_backend.hpp"
#include "tests/support/read_now.hpp"
#include "tests/support/stream_scan.hpp"

using namespace mark6;
using test::BadBytes;
using test::read_now;
using test::StreamScan;

namespace {

constexpr std::int64_t kDeadlineNs = 100'000'000;

std::unique_ptr<ReadEngine> engine_for(const StreamScan& scan, BackendFactory backend,
                                       std::int64_t deadline_ns = kReadDeadlineNs,
                                       HungNotice on_hung = {}) {
  return ReadEngine::start(scan.source().files.size(), {.depth = 2,
                                                        .memory_bytes = 64 << 20,
                                                        .backend = std::move(backend),
                                                        .page_cache = false,
                                                        .deadline_ns = deadline_ns,
                                                        .on_hung = std::move(on_hung)})
      .value();
}

/// `count` bytes at `at` of the scan, as bytes of the file that they lie in.
BadBytes bad_at(const StreamScan& scan, std::uint64_t at, std::uint64_t count) {
  const auto& index = scan.index();
  const sg::Extent block = index.block(index.find(ScanOffset(at)));
  const StreamFile file = scan.source().files[block.fragment().value];
  const std::uint64_t begin = (block.file_offset() + (ScanOffset(at) - block.scan_offset)).value;
  return {file.direct_fd, file.buffered_fd, begin, begin + count};
}

struct Taken {
  std::string bytes;
  std::vector<Error> errors;
};

Taken take_past_errors(ScanStream& stream, std::size_t max_bytes = 1 << 20) {
  Taken taken;
  while (true) {
    const auto piece = stream.take(max_bytes, {});
    if (!piece) {
      REQUIRE(piece.error().code == ErrorCode::kIo);
      taken.errors.push_back(piece.error());
      REQUIRE(taken.errors.size() < 1000);
      continue;
    }
    if (piece->empty()) return taken;
    const Bytes bytes = piece->bytes();
    taken.bytes.append(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  }
}

/// `flat` without [begin, end).
std::string without(const std::string& flat, std::size_t begin, std::size_t end) {
  return flat.substr(0, begin) + flat.substr(end);
}

/// Where the first packet is that `got` has not.
std::uint64_t first_lost_packet(const std::string& got, const std::string& flat,
                                std::uint64_t packet) {
  std::uint64_t from = 0;
  while (from + packet <= got.size() && got.compare(from, packet, flat, from, packet) == 0) {
    from += packet;
  }
  return from;
}

}  // namespace

TEST_CASE("fault: of a bad range only its sectors are lost", "[unit][fault]") {
  BadRanges bad;
  const std::uint32_t length = 1 << 20;
  // Bytes 300'000 to 300'100 are bad: what the engine asks for, and what it is told.
  std::uint32_t at = 0;
  std::size_t reads = 0;
  while (at < length) {
    const std::uint32_t piece = bad.piece(length - at);
    REQUIRE(++reads < 100);
    if (at < 300'100 && 300'000 < at + piece) {
      at = bad.failed(at, piece, length, 4096);
    } else {
      bad.came(piece);
      at += piece;
    }
  }
  REQUIRE(bad.ranges().size() == 1);
  CHECK(bad.ranges()[0].begin <= 300'000);
  CHECK(bad.ranges()[0].end >= 300'100);
  CHECK(bad.ranges()[0].end - bad.ranges()[0].begin == 4096);
}

TEST_CASE("fault: a read that fails everywhere is given up after so many tries", "[unit][fault]") {
  BadRanges bad;
  const std::uint32_t length = 16 << 20;
  std::uint32_t at = 0;
  std::size_t reads = 0;
  while (at < length) {
    ++reads;
    at = bad.failed(at, bad.piece(length - at), length, 4096);
  }
  CHECK(reads <= BadRanges::kMaxFailures);
  CHECK(bad.ranges() == std::vector<BadRange>{{0, length}});
}

TEST_CASE("fault: EIO, read: the mount's reads fail where they touch the sector, and only there",
          "[unit][fault]") {
  const StreamScan scan({.disks = 3, .blocks = 12, .smallest = 400'000, .largest = 400'000});
  const std::uint64_t bad = 5 * 400'000 + 150'000;
  auto engine = engine_for(scan, test::bad_sectors({bad_at(scan, bad, 100)}, EIO));
  auto stream = ScanStream::open(*engine, scan.source(), {});
  CHECK(read_now(*stream, bad, 100) == "error 5");
  // A sector of 4096 may lie across; behind and before that all is well, in the same block.
  const std::uint64_t before = 5 * 400'000;
  CHECK((read_now(*stream, before, 140'000) == scan.flat().substr(before, 140'000)));
  CHECK((read_now(*stream, bad + 8'292, 200'000) == scan.flat().substr(bad + 8'292, 200'000)));
  // The whole block is read at once here (more than the small reads' limit).
  CHECK(read_now(*stream, before - 300'000, 700'000) == "error 5");
  CHECK((read_now(*stream, 6 * 400'000, 900'000) == scan.flat().substr(6 * 400'000, 900'000)));
}

TEST_CASE("fault: EIO, prefetch: a window with a bad sector in it serves all else",
          "[unit][fault]") {
  const StreamScan scan({.disks = 3, .blocks = 30, .smallest = 100'000, .largest = 100'000});
  const std::uint64_t bad = 17 * 100'000 + 50'000;
  auto engine = engine_for(scan, test::bad_sectors({bad_at(scan, bad, 1)}, EIO));
  auto stream = ScanStream::open(*engine, scan.source(), {});
  std::size_t errors = 0;
  for (std::uint64_t at = 0; at < scan.flat().size(); at += 4'000) {
    const std::string got = read_now(*stream, at, 4'000);
    if (got == "error 5") {
      ++errors;
      CHECK(at < bad + 4096);
      CHECK(at + 4'000 + 4096 > bad);
    } else {
      REQUIRE((got == scan.flat().substr(at, 4'000)));
    }
  }
  CHECK(errors >= 1);
  CHECK(errors <= 3);
}

TEST_CASE("fault: EIO, gather: whole packets are left out, and counted", "[unit][fault]") {
  constexpr std::uint64_t kPacket = 8'000;
  constexpr std::uint64_t kBlock = 60 * kPacket;
  const StreamScan scan(
      {.disks = 3, .blocks = 12, .smallest = kBlock, .largest = kBlock, .packet = kPacket});
  for (const std::size_t max_bytes : {std::size_t{1} << 20, std::size_t{100'001}}) {
    CAPTURE(max_bytes);
    // In the middle of packet 7 of block 5, near its end.
    const std::uint64_t bad = 5 * kBlock + 7 * kPacket + 5'000;
    auto engine = engine_for(scan, test::bad_sectors({bad_at(scan, bad, 1)}, ENODATA));
    auto stream = ScanStream::open(*engine, scan.source(), {.sequential = true});
    const Taken taken = take_past_errors(*stream, max_bytes);
    REQUIRE(taken.errors.size() == 1);
    CHECK(taken.errors[0].path.find("scan") != std::string::npos);
    CHECK(taken.errors[0].found.find("block 5") != std::string::npos);
    const std::uint64_t lost = stream->lost_bytes();
    CHECK(lost % kPacket == 0);
    CHECK(lost <= 2 * kPacket);  // a sector may lie in two packets
    REQUIRE(taken.bytes.size() == scan.flat().size() - lost);
    const std::uint64_t from = first_lost_packet(taken.bytes, scan.flat(), kPacket);
    CHECK(from <= bad);
    CHECK(bad < from + lost);
    CHECK((taken.bytes == without(scan.flat(), from, from + lost)));
  }
}

TEST_CASE("fault: EIO, gather: where packets are not known the rest of the block is left out",
          "[unit][fault]") {
  const StreamScan scan({.disks = 2, .blocks = 8, .smallest = 300'000, .largest = 300'000});
  const std::uint64_t bad = 3 * 300'000 + 200'000;
  auto engine = engine_for(scan, test::bad_sectors({bad_at(scan, bad, 1)}, EIO));
  auto stream = ScanStream::open(*engine, scan.source(), {.sequential = true});
  const Taken taken = take_past_errors(*stream);
  CHECK(taken.errors.size() == 1);
  const std::uint64_t lost = stream->lost_bytes();
  CHECK(lost >= 100'000);
  CHECK(lost <= 100'000 + 4096);
  CHECK((taken.bytes == without(scan.flat(), 4 * 300'000 - lost, 4 * 300'000)));
}

TEST_CASE("fault: EIO, gather: a block of two parts loses what is bad, across them",
          "[unit][fault]") {
  // 20 MB blocks are read in two parts; the first ends with a whole packet.
  constexpr std::uint64_t kPacket = 5'032;
  constexpr std::uint64_t kBlock = 4'000 * kPacket;
  const StreamScan scan(
      {.disks = 1, .blocks = 1, .smallest = kBlock, .largest = kBlock, .packet = kPacket});
  for (const std::uint64_t bad : {kBlock / 2 - 1, kBlock / 2 + 1, kBlock - 1, std::uint64_t{0}}) {
    CAPTURE(bad);
    auto engine = engine_for(scan, test::bad_sectors({bad_at(scan, bad, 1)}, EIO));
    auto stream = ScanStream::open(*engine, scan.source(), {.sequential = true});
    const Taken taken = take_past_errors(*stream, 16 << 20);
    CHECK(!taken.errors.empty());
    const std::uint64_t lost = stream->lost_bytes();
    CHECK(lost % kPacket == 0);
    CHECK(lost <= 2 * kPacket);
    REQUIRE(taken.bytes.size() == kBlock - lost);
    const std::uint64_t from = first_lost_packet(taken.bytes, scan.flat(), kPacket);
    CHECK(from <= bad);
    CHECK(bad < from + lost);
    CHECK((taken.bytes == without(scan.flat(), from, from + lost)));
  }
}

TEST_CASE("fault: device gone: its reads fail at once, all others go on", "[unit][fault]") {
  const StreamScan scan({.disks = 3, .blocks = 30, .smallest = 50'000, .largest = 50'000});
  auto engine = engine_for(scan, test::faulty([](const BackendRead& read, std::int64_t result) {
                             return read.disk == DiskIndex(1) ? std::int64_t{-ENODEV} : result;
                           }));
  auto stream = ScanStream::open(*engine, scan.source(), {.sequential = true});
  const Taken taken = take_past_errors(*stream);
  std::string expected;
  for (std::size_t i = 0; i < scan.index().extents().size(); ++i) {
    if (scan.index().extents()[i].fragment().value == 1) continue;
    expected += scan.flat().substr(i * 50'000, 50'000);
  }
  CHECK((taken.bytes == expected));
  CHECK(engine->counters(DiskIndex(1)).snapshot(0).retries == 0);
}

TEST_CASE("fault: file truncated while it is read: what is left comes, nothing made up",
          "[unit][fault]") {
  constexpr std::uint64_t kPacket = 1'000;
  const StreamScan scan(
      {.disks = 2, .blocks = 10, .smallest = 50'000, .largest = 50'000, .packet = kPacket});
  const sg::Extent last = scan.index().extents()[9];
  const std::string path = scan.path(last.fragment().value);
  std::filesystem::resize_file(path, last.file_offset().value + 30'000);
  auto engine = engine_for(scan, default_backend());
  auto stream = ScanStream::open(*engine, scan.source(), {.sequential = true});
  const Taken taken = take_past_errors(*stream);
  REQUIRE(taken.errors.size() == 1);
  CHECK(taken.errors[0].found.find("shorter") != std::string::npos);
  CHECK(taken.bytes.size() >= 9 * 50'000);
  CHECK(taken.bytes.size() <= 9 * 50'000 + 30'000);
  CHECK((taken.bytes == scan.flat().substr(0, taken.bytes.size())));
}

TEST_CASE("fault: hang, read: fails at the deadline, others at full speed, admitted again",
          "[unit][fault]") {
  const StreamScan scan({.disks = 3, .blocks = 30, .smallest = 20'000, .largest = 20'000});
  const auto hung = std::make_shared<test::HungDisks>();
  std::atomic<int> went{0};
  std::atomic<int> came{0};
  auto engine = engine_for(scan, test::hanging(hung), kDeadlineNs,
                           [&](DiskIndex disk, bool hangs, std::int64_t) {
                             CHECK(disk == DiskIndex(1));
                             ++(hangs ? went : came);
                           });
  auto stream = ScanStream::open(*engine, scan.source(), {});
  hung->hang(1, true);
  for (std::size_t i = 0; i < 30; ++i) {
    const bool on_hung = scan.index().extents()[i].fragment().value == 1;
    CAPTURE(i);
    const std::string got = read_now(*stream, i * 20'000 + 1, 10'000);
    if (on_hung) {
      CHECK(got == "error 5");
    } else {
      CHECK((got == scan.flat().substr(i * 20'000 + 1, 10'000)));
    }
  }
  CHECK(went == 1);
  CHECK(engine->counters(DiskIndex(1)).snapshot(monotonic_ns()).hung_ns >= kDeadlineNs);
  // No more than the depth is out, whatever is asked for.
  CHECK(engine->counters(DiskIndex(1)).snapshot(0).in_flight <= 2);
  hung->hang(1, false);
  while (came == 0) std::this_thread::sleep_for(std::chrono::milliseconds(2));
  for (std::size_t i = 0; i < 30; ++i) {
    CHECK(
        (read_now(*stream, i * 20'000 + 1, 10'000) == scan.flat().substr(i * 20'000 + 1, 10'000)));
  }
  CHECK(went == 1);
  CHECK(came == 1);
  CHECK(engine->counters(DiskIndex(1)).snapshot(monotonic_ns()).hung_ns == 0);
}

TEST_CASE("fault: hang, gather: what lies on the disk is left out, the rest is delivered",
          "[unit][fault]") {
  const StreamScan scan({.disks = 4, .blocks = 40, .smallest = 30'000, .largest = 30'000});
  const auto hung = std::make_shared<test::HungDisks>();
  hung->hang(2, true);
  auto engine = engine_for(scan, test::hanging(hung), kDeadlineNs);
  auto stream = ScanStream::open(*engine, scan.source(), {.sequential = true});
  const Taken taken = take_past_errors(*stream);
  std::string expected;
  for (std::size_t i = 0; i < 40; ++i) {
    if (scan.index().extents()[i].fragment().value == 2) continue;
    expected += scan.flat().substr(i * 30'000, 30'000);
  }
  CHECK((taken.bytes == expected));
  REQUIRE(!taken.errors.empty());
  CHECK(taken.errors[0].found.find("does not answer") != std::string::npos);
  stream.reset();
  hung->hang(2, false);  // and so the engine can end in order
}

TEST_CASE("fault: hang, leaving: an engine with a hung disk ends, and is not waited for",
          "[unit][fault]") {
  const StreamScan scan({.disks = 2, .blocks = 4, .smallest = 20'000, .largest = 20'000});
  const auto hung = std::make_shared<test::HungDisks>();
  hung->hang(0, true);
  hung->hang(1, true);
  auto ended = std::async(std::launch::async, [&] {
    auto engine = engine_for(scan, test::hanging(hung), 0);
    auto stream = ScanStream::open(*engine, scan.source(), {.sequential = true});
    std::stop_source stop;
    stop.request_stop();
    CHECK_FALSE(stream->take(1000, stop.get_token()));
    stream.reset();
    engine.reset();
  });
  CHECK(ended.wait_for(std::chrono::seconds(20)) == std::future_status::ready);
}

TEST_CASE("fault: delay, read and gather: late answers are right answers", "[unit][fault]") {
  const StreamScan scan({.disks = 3, .blocks = 20, .smallest = 1, .largest = 60'000});
  int count = 0;
  auto engine = engine_for(scan, test::faulty([&count](const BackendRead&, std::int64_t result) {
                             if (++count % 4 == 0)
                               std::this_thread::sleep_for(std::chrono::milliseconds(5));
                             return result;
                           }));
  auto stream = ScanStream::open(*engine, scan.source(), {.sequential = true});
  CHECK((take_past_errors(*stream).bytes == scan.flat()));
}

TEST_CASE("fault: EAGAIN and short reads, read and gather: all bytes all the same",
          "[unit][fault]") {
  const StreamScan scan({.disks = 3, .blocks = 20, .smallest = 1, .largest = 300'000});
  int count = 0;
  const auto fault = [&count](const BackendRead&, std::int64_t result) {
    ++count;
    if (count % 5 == 0) return std::int64_t{-EAGAIN};
    return count % 2 == 0 ? result : std::max<std::int64_t>(result / 2, 1);
  };
  auto engine = engine_for(scan, test::faulty(fault));
  auto stream = ScanStream::open(*engine, scan.source(false), {.sequential = true});
  CHECK((take_past_errors(*stream).bytes == scan.flat()));
  auto reader = ScanStream::open(*engine, scan.source(false), {});
  CHECK((read_now(*reader, 10'000, 500'000) == scan.flat().substr(10'000, 500'000)));
}
