// SPDX-License-Identifier: MIT
// A scan that is read without an index of its blocks: the places are found while it is read. Such a
// scan is large (kMinGridBlocks of kMinGridBlockBytes on each disk), so nothing here holds it
// whole: what is read is compared with what the scan is known to hold there.
#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <catch2/catch.hpp>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <future>
#include <random>
#include <thread>
#include <utility>

#include "common/catalog/scan_opener.hpp"
#include "common/read/scan_stream.hpp"
#include "tests/support/fault_backend.hpp"
#include "tests/support/read_now.hpp"
#include "tests/support/temporary.hpp"

using namespace mark6;

namespace {

constexpr std::uint32_t kPacket = 8032;
constexpr std::uint32_t kFull = 131 * kPacket;  // a little over 1 MiB
constexpr std::uint32_t kShort = 5 * kPacket;
constexpr std::size_t kDisks = 3;
/// Few, but full ones on each disk suffice for a grid even where two were put elsewhere.
constexpr std::size_t kBlocks = kDisks * (sg::kMinGridBlocks + 3);
constexpr std::size_t kShortBlock = kBlocks / 2;
constexpr std::size_t kMarkBytes = 8;

/// What the scan holds: block i has a mark of its number at both its ends, and zeros between.
std::array<std::byte, kMarkBytes> mark_of(std::size_t block) {
  const auto number = static_cast<std::uint32_t>(block);
  std::array<std::byte, kMarkBytes> mark{};
  store_le32(mark, 0, number * 2654435761U);
  store_le32(mark, 4, ~number);
  return mark;
}

std::uint32_t length_of(std::size_t block) { return block == kShortBlock ? kShort : kFull; }

std::uint64_t offset_of(std::size_t block) {
  return std::uint64_t{block} * kFull - (block > kShortBlock ? kFull - kShort : 0);
}

const std::uint64_t kScanBytes = offset_of(kBlocks);

/// At the speed of memcmp.
bool is_zero(Bytes bytes) {
  return bytes.empty() || (bytes[0] == std::byte{0} &&
                           std::memcmp(bytes.data(), bytes.data() + 1, bytes.size() - 1) == 0);
}

/// Whether `bytes` of a block, from byte `at` of it on, are what it holds there.
bool is_of_block(Bytes bytes, std::size_t block, std::size_t at) {
  const auto mark = mark_of(block);
  const std::size_t tail = length_of(block) - kMarkBytes;
  while (!bytes.empty()) {
    const bool is_zeros = at >= kMarkBytes && at < tail;
    const std::size_t end = is_zeros ? tail : (at < tail ? kMarkBytes : tail + kMarkBytes);
    const Bytes part = bytes.first(std::min(bytes.size(), end - at));
    const std::size_t in_mark = at < tail ? at : at - tail;
    if (is_zeros ? !is_zero(part)
                 : std::memcmp(part.data(), mark.data() + in_mark, part.size()) != 0) {
      return false;
    }
    bytes = bytes.subspan(part.size());
    at += part.size();
  }
  return true;
}

/// Whether `bytes` are what the scan holds from `offset` on.
bool is_of_scan(Bytes bytes, std::uint64_t offset) {
  while (!bytes.empty()) {
    if (offset >= kScanBytes) return false;
    auto block = static_cast<std::size_t>(offset / kFull);
    while (offset >= offset_of(block + 1)) ++block;
    const auto at = static_cast<std::size_t>(offset - offset_of(block));
    const Bytes part = bytes.first(std::min<std::size_t>(bytes.size(), length_of(block) - at));
    if (!is_of_block(part, block, at)) return false;
    bytes = bytes.subspan(part.size());
    offset += part.size();
  }
  return true;
}

/// Large fragments, sparse but for the headers and the marks.
class LargeScan {
 public:
  /// `swapped`: these two numbers stand in each other's place, on one disk.
  explicit LargeScan(std::pair<std::size_t, std::size_t> swapped = {kBlocks, kBlocks}) {
    for (std::size_t disk = 0; disk < kDisks; ++disk) {
      const std::string path = directory_.write("1/" + std::to_string(disk) + "/data/scan", "");
      files_.emplace_back(::open(path.c_str(), O_WRONLY));
      std::array<std::byte, sg::kFileHeaderBytes> header{};
      sg::store_file_header({2, static_cast<std::int32_t>(kFull) + 8, 0, kPacket}, header);
      put(disk, header);
      scan_.fragments.push_back({path, DiskIndex(static_cast<std::uint32_t>(disk)), 0, 0, false});
    }
    std::array<std::size_t, kBlocks> disks{};
    for (std::size_t i = 0; i < kBlocks; ++i) disks[i] = i % kDisks;
    std::shuffle(disks.begin() + kDisks, disks.end(), std::mt19937(7));
    for (std::size_t i = 0; i < kBlocks; ++i) {
      const bool is_swapped = i == swapped.first || i == swapped.second;
      put_block(is_swapped ? 0 : disks[i], is_swapped ? swapped.first + swapped.second - i : i);
    }
    scan_.name = "scan";
    for (std::size_t disk = 0; disk < kDisks; ++disk) {
      scan_.fragments[disk].size_bytes = ends_[disk];
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
  void put(std::size_t disk, Bytes bytes) {
    REQUIRE(::pwrite(files_[disk].get(), bytes.data(), bytes.size(),
                     static_cast<off_t>(ends_[disk])) == static_cast<ssize_t>(bytes.size()));
    ends_[disk] += bytes.size();
  }
  void put_block(std::size_t disk, std::size_t block) {
    std::array<std::byte, 8> header{};
    sg::store_block_header(
        {static_cast<std::int32_t>(block), static_cast<std::int32_t>(length_of(block)) + 8}, 2,
        header);
    put(disk, header);
    put(disk, mark_of(block));
    ends_[disk] += length_of(block) - 2 * kMarkBytes;
    put(disk, mark_of(block));
  }

  test::TemporaryDirectory directory_;
  std::vector<UniqueFd> files_;
  std::array<std::uint64_t, kDisks> ends_{};
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

/// What came of taking a stream.
struct Taken {
  std::uint64_t end = 0;
  std::uint64_t lost_begin = kScanBytes;  ///< all that was left out lies between these two
  std::uint64_t lost_end = 0;
  bool right = true;  ///< each byte, in its place
};

/// Takes from `stream` until it ends or fails, and tells `taken`, which goes on where it ended.
Result<void> take_on(ScanStream& stream, Taken& taken) {
  while (true) {
    const auto piece = stream.take(1 << 30, {});
    if (!piece) return Failure(piece.error());
    if (piece->empty()) return {};
    const std::uint64_t offset = piece->offset().value;
    taken.right = taken.right && offset >= taken.end && is_of_scan(piece->bytes(), offset);
    if (offset > taken.end) {
      taken.lost_begin = std::min(taken.lost_begin, taken.end);
      taken.lost_end = offset;
    }
    taken.end = offset + piece->bytes().size();
  }
}

/// Whether a read there gives what the scan holds.
bool reads_right(ScanStream& stream, std::uint64_t offset, std::size_t length) {
  test::WaitingRead operation;
  if (!stream.read(ScanOffset(offset), length, operation)) operation.ready->get_future().wait();
  if (operation.error() != 0) return false;
  std::uint64_t bytes = 0;
  for (const iovec& part : operation.parts()) {
    const Bytes there(static_cast<const std::byte*>(part.iov_base), part.iov_len);
    if (!is_of_scan(there, offset + bytes)) return false;
    bytes += there.size();
  }
  const std::uint64_t there = kScanBytes - std::min(offset, kScanBytes);
  return bytes == operation.bytes() && bytes == std::min<std::uint64_t>(length, there);
}

}  // namespace

TEST_CASE("grid stream: a large healthy scan is indexed as by the full walk, and delivered",
          "[unit]") {
  const LargeScan scan;
  const OpenedScanPtr proven = scan.open(IndexBy::kProof);
  const OpenedScanPtr walked = scan.open(IndexBy::kWalk);
  REQUIRE(proven->index.grid() != nullptr);
  REQUIRE(walked->index.grid() == nullptr);
  CHECK(proven->index.size_bytes() == kScanBytes);
  CHECK(walked->index.size_bytes() == kScanBytes);
  CHECK(proven->index.fragments().size() == kDisks);
  for (std::size_t i = 0; i < kDisks; ++i) {
    CHECK(proven->index.fragments()[i].blocks == walked->index.fragments()[i].blocks);
    CHECK(proven->index.fragments()[i].payload_bytes == walked->index.fragments()[i].payload_bytes);
  }
  for (const std::uint64_t memory : {1ULL, 16ULL << 20, 256ULL << 20}) {
    CAPTURE(memory);
    auto engine = engine_of(memory);
    // Begun anywhere as from the beginning, which the one without memory to spare is.
    const std::uint64_t begin = memory == 1 ? 0 : 100'000'004;
    const ScanStreamOptions part{.begin = ScanOffset(begin), .sequential = true};
    auto stream = ScanStream::open(*engine, source_of(proven), part);
    Taken taken{.end = begin};
    CHECK(take_on(*stream, taken));
    CHECK(taken.right);
    CHECK(taken.lost_end == 0);
    CHECK(taken.end == kScanBytes);
  }
}

TEST_CASE("grid stream: random and sequential reads are right wherever they begin", "[unit]") {
  const LargeScan scan;
  const OpenedScanPtr proven = scan.open(IndexBy::kProof);
  REQUIRE(proven->index.grid() != nullptr);
  auto engine = engine_of(48 << 20);
  auto stream = ScanStream::open(*engine, source_of(proven), {});
  std::mt19937_64 random(11);
  for (int run = 0; run < 12; ++run) {
    std::uint64_t at = random() % kScanBytes;
    for (int i = 0; i < 20; ++i) {  // a sequential run, with a skip in it
      if (i == 12) at += random() % 6'000'000;
      const std::size_t length = 300'000 + random() % 900'000;
      REQUIRE(reads_right(*stream, at, length));
      at += length;
    }
    for (int i = 0; i < 20; ++i) {  // and small ones anywhere
      REQUIRE(reads_right(*stream, random() % kScanBytes, 5000));
    }
  }
}

TEST_CASE("grid stream: readers of one handle in different places do not disturb each other",
          "[unit]") {
  const LargeScan scan;
  const OpenedScanPtr proven = scan.open(IndexBy::kProof);
  REQUIRE(proven->index.grid() != nullptr);
  auto engine = engine_of(48 << 20);
  auto stream = ScanStream::open(*engine, source_of(proven), {});
  std::atomic<int> wrong{0};
  std::vector<std::jthread> readers;
  for (std::uint64_t seed = 0; seed < 3; ++seed) {
    readers.emplace_back([&, seed] {
      std::mt19937_64 random(seed);
      std::uint64_t at = kScanBytes / 3 * seed;
      for (int i = 0; i < 60; ++i) {
        if (i % 15 == 14) at = random() % kScanBytes;
        const std::size_t length = random() % 700'000;
        if (!reads_right(*stream, at, length)) ++wrong;
        at += length;
      }
    });
  }
  readers.clear();
  CHECK(wrong == 0);
}

TEST_CASE("grid stream: readers with handles of their own shorten each other's windows, and go on",
          "[unit]") {
  const LargeScan scan;
  const OpenedScanPtr proven = scan.open(IndexBy::kProof);
  REQUIRE(proven->index.grid() != nullptr);
  auto engine = engine_of(128 << 20);
  std::atomic<int> wrong{0};
  std::vector<std::jthread> readers;
  for (std::uint64_t seed = 0; seed < 6; ++seed) {
    readers.emplace_back([&, seed] {
      std::mt19937_64 random(seed);
      for (int handle = 0; handle < 6; ++handle) {
        auto stream = ScanStream::open(*engine, source_of(proven), {});
        std::uint64_t at = seed % 2 == 0 ? 0 : random() % kScanBytes;
        for (int i = 0; i < 40; ++i) {
          if (seed % 2 == 1 && i % 8 == 7) at = random() % kScanBytes;
          if (!reads_right(*stream, at, 1'000'000)) ++wrong;
          at += 1'000'000;
        }
      }
    });
  }
  readers.clear();
  CHECK(wrong == 0);
}

TEST_CASE("grid stream: a read overtaken while its blocks are still searched is served", "[unit]") {
  const LargeScan scan;
  const OpenedScanPtr proven = scan.open(IndexBy::kProof);
  REQUIRE(proven->index.grid() != nullptr);
  const auto hung = std::make_shared<test::HungDisks>();
  auto engine = engine_of(128 << 20, test::hanging(hung));
  auto stream = ScanStream::open(*engine, source_of(proven), {});
  constexpr std::size_t kRead = 1'000'000;
  std::uint64_t at = 100'000'000;
  REQUIRE(reads_right(*stream, at, kRead));
  for (std::uint32_t disk = 0; disk < kDisks; ++disk) hung->hang(disk, true);
  // The next in a row opens a window, of which no place is known yet. The others go beyond all that
  // is kept behind a reader, as the kernel's do when it reads ahead for several readers.
  std::array<test::WaitingRead, 12> reads;
  std::array<bool, 12> ready{};
  for (std::size_t i = 0; i < reads.size(); ++i) {
    at += kRead;
    ready[i] = stream->read(ScanOffset(at), kRead, reads[i]);
  }
  for (std::uint32_t disk = 0; disk < kDisks; ++disk) hung->hang(disk, false);
  for (std::size_t i = 0; i < reads.size(); ++i) {
    CAPTURE(i);
    const auto came = reads[i].ready->get_future();
    REQUIRE((ready[i] || came.wait_for(std::chrono::seconds(20)) == std::future_status::ready));
    CHECK(reads[i].error() == 0);
    CHECK(reads[i].bytes() == kRead);
  }
}

TEST_CASE("grid stream: numbers that do not ascend are found out, not delivered wrongly",
          "[unit]") {
  const LargeScan scan({120, 121});
  const OpenedScanPtr proven = scan.open(IndexBy::kProof);
  REQUIRE(proven->index.grid() != nullptr);
  auto engine = engine_of(48 << 20);
  auto stream = ScanStream::open(*engine, source_of(proven), {.sequential = true});
  Taken taken;
  const auto done = take_on(*stream, taken);
  REQUIRE_FALSE(done);
  CHECK(done.error().code == ErrorCode::kBadFormat);
  CHECK(taken.right);
  CHECK(taken.lost_end == 0);
  CHECK(taken.end < kScanBytes);
}

TEST_CASE("grid stream: an unreadable block costs itself, and the next is found all the same",
          "[unit]") {
  const LargeScan scan;
  const OpenedScanPtr proven = scan.open(IndexBy::kProof);
  REQUIRE(proven->index.grid() != nullptr);
  const sg::Extent bad = scan.open(IndexBy::kWalk)->index.block(50);
  const int bad_fd = proven->files[bad.fragment().value]->direct_fd();
  if (bad_fd < 0) return;  // no O_DIRECT here
  // Its last bytes fail, and with them the header behind them when it is read with the block.
  const std::uint64_t bad_byte = bad.file_offset().value + bad.length - 10;
  auto engine = engine_of(48 << 20, test::faulty([=](const BackendRead& read, std::int64_t result) {
                            const bool hit = read.fd == bad_fd && read.offset <= bad_byte &&
                                             bad_byte < read.offset + read.length;
                            return hit ? std::int64_t{-EIO} : result;
                          }));
  auto stream = ScanStream::open(*engine, source_of(proven), {.sequential = true});
  Taken taken;
  int errors = 0;
  for (auto done = take_on(*stream, taken); !done; done = take_on(*stream, taken)) {
    CHECK(done.error().code == ErrorCode::kIo);
    REQUIRE(++errors <= 2);
  }
  CHECK(errors >= 1);
  CHECK(taken.right);
  CHECK(taken.end == kScanBytes);
  CHECK(taken.lost_begin >= offset_of(50));
  CHECK(taken.lost_begin <= offset_of(51) - 10);
  CHECK(taken.lost_end > offset_of(51) - 10);
  CHECK(taken.lost_end <= offset_of(52));
}
