// SPDX-License-Identifier: MIT
// A scan that is read without an index of its blocks: the places are found while it is read.
#include <fcntl.h>
#include <unistd.h>

#include <atomic>
#include <catch2/catch.hpp>
#include <cerrno>
#include <future>
#include <random>
#include <thread>

#include "common/catalog/scan_opener.hpp"
#include "common/read/scan_stream.hpp"
#include "tests/support/fault_backend.hpp"
#include "tests/support/read_now.hpp"
#include "tests/support/temporary.hpp"

using namespace mark6;
using test::read_now;

namespace {

constexpr std::uint32_t kPacket = 8032;
constexpr std::uint32_t kFull = 131 * kPacket;  // a little over 1 MiB
constexpr std::size_t kDisks = 3;

/// Large fragments, sparse but for the headers and for each block's number at both its ends.
class LargeScan {
 public:
  /// `swapped`: these two numbers stand in each other's place, on one disk.
  explicit LargeScan(std::size_t blocks, std::pair<int, int> swapped = {-1, -1}) {
    std::mt19937 random(7);
    std::array<std::uint64_t, kDisks> ends{};
    for (std::size_t disk = 0; disk < kDisks; ++disk) {
      const std::string path = directory_.write("1/" + std::to_string(disk) + "/data/scan", "");
      paths_.push_back(path);
      std::array<std::byte, sg::kFileHeaderBytes> header{};
      sg::store_file_header({2, static_cast<std::int32_t>(kFull) + 8, 0, kPacket}, header);
      put(disk, 0, header);
      ends[disk] = header.size();
    }
    for (std::size_t i = 0; i < blocks; ++i) {
      std::size_t disk = i < kDisks ? i : random() % kDisks;
      const std::uint32_t length = i == blocks / 2 ? 5 * kPacket : kFull;
      auto number = static_cast<std::int32_t>(i);
      if (number == swapped.first || number == swapped.second) {
        number = swapped.first + swapped.second - number;
        disk = 0;
      }
      std::array<std::byte, 8> header{};
      sg::store_block_header({number, static_cast<std::int32_t>(length) + 8}, 2, header);
      put(disk, ends[disk], header);
      std::array<std::byte, 8> mark{};
      store_le32(mark, 0, static_cast<std::uint32_t>(number) * 2654435761U);
      store_le32(mark, 4, ~static_cast<std::uint32_t>(number));
      put(disk, ends[disk] + 8, mark);
      put(disk, ends[disk] + 8 + length - 8, mark);
      ends[disk] += 8 + length;
    }
    for (std::size_t disk = 0; disk < kDisks; ++disk) {
      Scan& scan = scan_;
      scan.name = "scan";
      scan.fragments.push_back(
          {paths_[disk], DiskIndex(static_cast<std::uint32_t>(disk)), ends[disk], 0, false});
    }
  }

  [[nodiscard]] OpenedScanPtr open(IndexBy index_by) const {
    std::promise<OpenedScanPtr> opened;
    ScanOpener opener(kDisks);
    opener.open(
        scan_, false, [&](OpenedScanPtr scan) { opened.set_value(std::move(scan)); }, index_by);
    return opened.get_future().get();
  }

 private:
  void put(std::size_t disk, std::uint64_t offset, Bytes bytes) {
    const UniqueFd fd(::open(paths_[disk].c_str(), O_WRONLY));
    REQUIRE(::pwrite(fd.get(), bytes.data(), bytes.size(), static_cast<off_t>(offset)) ==
            static_cast<ssize_t>(bytes.size()));
  }

  test::TemporaryDirectory directory_;
  std::vector<std::string> paths_;
  Scan scan_;
};

StreamSource source_of(const OpenedScanPtr& scan) {
  StreamSource source{scan, &scan->index, {}};
  for (std::size_t i = 0; i < scan->files.size(); ++i) {
    const DataFile& file = *scan->files[i];
    source.files.push_back({file.path(), file.direct_fd(), file.buffered_fd(),
                            file.direct_alignment(), scan->fragments[i].disk});
  }
  return source;
}

std::unique_ptr<ReadEngine> engine_of(std::uint64_t memory,
                                      BackendFactory backend = default_backend()) {
  return ReadEngine::start(kDisks,
                           {.depth = 2, .memory_bytes = memory, .backend = std::move(backend)})
      .value();
}

std::string taken(ScanStream& stream) {
  std::string flat;
  while (true) {
    const auto piece = stream.take(1 << 30, {});
    REQUIRE(piece);
    if (piece->empty()) return flat;
    flat.append(reinterpret_cast<const char*>(piece->bytes().data()), piece->bytes().size());
  }
}

std::string flat_of(const OpenedScanPtr& walked) {
  auto engine = engine_of(64 << 20);
  auto stream = ScanStream::open(*engine, source_of(walked), {.sequential = true});
  return taken(*stream);
}

}  // namespace

TEST_CASE("grid stream: a large healthy scan is delivered as by the full walk", "[unit]") {
  const LargeScan scan(220);
  const OpenedScanPtr proven = scan.open(IndexBy::kProof);
  const OpenedScanPtr walked = scan.open(IndexBy::kWalk);
  REQUIRE(proven->index.grid() != nullptr);
  REQUIRE(walked->index.grid() == nullptr);
  CHECK(proven->index.size_bytes() == walked->index.size_bytes());
  CHECK(proven->index.fragments().size() == kDisks);
  for (std::size_t i = 0; i < kDisks; ++i) {
    CHECK(proven->index.fragments()[i].blocks == walked->index.fragments()[i].blocks);
    CHECK(proven->index.fragments()[i].payload_bytes == walked->index.fragments()[i].payload_bytes);
  }
  const std::string flat = flat_of(walked);
  for (const std::uint64_t memory : {1ULL, 16ULL << 20, 256ULL << 20}) {
    CAPTURE(memory);
    auto engine = engine_of(memory);
    auto stream = ScanStream::open(*engine, source_of(proven), {.sequential = true});
    CHECK((taken(*stream) == flat));
    const ScanStreamOptions part{.begin = ScanOffset(100'000'004), .sequential = true};
    auto later = ScanStream::open(*engine, source_of(proven), part);
    CHECK((taken(*later) == flat.substr(100'000'004)));
  }
}

TEST_CASE("grid stream: random and sequential reads are right wherever they begin", "[unit]") {
  const LargeScan scan(220);
  const OpenedScanPtr proven = scan.open(IndexBy::kProof);
  REQUIRE(proven->index.grid() != nullptr);
  const std::string flat = flat_of(scan.open(IndexBy::kWalk));
  auto engine = engine_of(48 << 20);
  auto stream = ScanStream::open(*engine, source_of(proven), {});
  std::mt19937_64 random(11);
  for (int run = 0; run < 12; ++run) {
    std::uint64_t at = random() % flat.size();
    for (int i = 0; i < 20; ++i) {  // a sequential run, with a skip in it
      if (i == 12) at += random() % 6'000'000;
      const std::size_t length = 300'000 + random() % 900'000;
      const std::string expected = at < flat.size() ? flat.substr(at, length) : "";
      REQUIRE((read_now(*stream, at, length) == expected));
      at += length;
    }
    for (int i = 0; i < 20; ++i) {  // and small ones anywhere
      const std::uint64_t offset = random() % flat.size();
      REQUIRE((read_now(*stream, offset, 5000) == flat.substr(offset, 5000)));
    }
  }
}

TEST_CASE("grid stream: readers of one handle in different places do not disturb each other",
          "[unit]") {
  const LargeScan scan(220);
  const OpenedScanPtr proven = scan.open(IndexBy::kProof);
  const std::string flat = flat_of(scan.open(IndexBy::kWalk));
  auto engine = engine_of(48 << 20);
  auto stream = ScanStream::open(*engine, source_of(proven), {});
  std::atomic<int> wrong{0};
  std::vector<std::jthread> readers;
  for (std::uint64_t seed = 0; seed < 3; ++seed) {
    readers.emplace_back([&, seed] {
      std::mt19937_64 random(seed);
      std::uint64_t at = flat.size() / 3 * seed;
      for (int i = 0; i < 60; ++i) {
        if (i % 15 == 14) at = random() % flat.size();
        const std::size_t length = random() % 700'000;
        const std::string expected = at < flat.size() ? flat.substr(at, length) : "";
        if (read_now(*stream, at, length) != expected) ++wrong;
        at += length;
      }
    });
  }
  readers.clear();
  CHECK(wrong == 0);
}

TEST_CASE("grid stream: numbers that do not ascend are found out, not delivered wrongly",
          "[unit]") {
  const LargeScan scan(220, {100, 101});
  const OpenedScanPtr proven = scan.open(IndexBy::kProof);
  const std::string flat = flat_of(scan.open(IndexBy::kWalk));
  REQUIRE(proven->index.grid() != nullptr);
  auto engine = engine_of(48 << 20);
  auto stream = ScanStream::open(*engine, source_of(proven), {.sequential = true});
  std::string got;
  while (true) {
    const auto piece = stream->take(1 << 30, {});
    if (!piece) {
      CHECK(piece.error().code == ErrorCode::kBadFormat);
      break;
    }
    REQUIRE_FALSE(piece->empty());
    got.append(reinterpret_cast<const char*>(piece->bytes().data()), piece->bytes().size());
  }
  CHECK(got.size() < flat.size());
  CHECK((got == flat.substr(0, got.size())));
}

TEST_CASE("grid stream: an unreadable block costs itself, and the next is found all the same",
          "[unit]") {
  const LargeScan scan(220);
  const OpenedScanPtr proven = scan.open(IndexBy::kProof);
  const OpenedScanPtr walked = scan.open(IndexBy::kWalk);
  const std::string flat = flat_of(walked);
  const sg::Extent bad = walked->index.block(50);
  const int bad_fd = proven->files[bad.fragment().value]->direct_fd();
  // Its last bytes fail, and with them the header behind them when it is read with the block.
  const std::uint64_t bad_byte = bad.file_offset().value + bad.length - 10;
  auto engine = engine_of(48 << 20, test::faulty([=](const BackendRead& read, std::int64_t result) {
                            const bool hit = read.fd == bad_fd && read.offset <= bad_byte &&
                                             bad_byte < read.offset + read.length;
                            return hit ? std::int64_t{-EIO} : result;
                          }));
  if (bad_fd < 0) return;  // no O_DIRECT here
  auto stream = ScanStream::open(*engine, source_of(proven), {.sequential = true});
  std::string got;
  int errors = 0;
  while (true) {
    const auto piece = stream->take(1 << 30, {});
    if (!piece) {
      CHECK(piece.error().code == ErrorCode::kIo);
      REQUIRE(++errors <= 2);
      continue;
    }
    if (piece->empty()) break;
    got.append(reinterpret_cast<const char*>(piece->bytes().data()), piece->bytes().size());
  }
  CHECK(errors >= 1);
  const std::size_t after = bad.scan_end().value;
  CHECK((got.substr(got.size() - (flat.size() - after - kFull)) == flat.substr(after + kFull)));
}
