// SPDX-License-Identifier: MIT
// A scan on a few files with blocks of any size and place, its flat bytes beside it: what the tests
// of the reader read. It is made without the walk, so that the two are tested apart.
#pragma once

#include <algorithm>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "common/os/file.hpp"
#include "common/read/scan_stream.hpp"
#include "common/sg/scan_index.hpp"
#include "tests/support/recording.hpp"
#include "tests/support/temporary.hpp"

namespace mark6::test {

struct ScanShape {
  std::size_t disks = 4;
  std::size_t blocks = 40;
  std::uint32_t smallest = 1;       ///< payload bytes of a block, at least
  std::uint32_t largest = 100'000;  ///< and at most
  std::uint32_t seed = 1;
  std::uint32_t packet = 0;  ///< bytes of one, as the file headers have it; 0: not known
};

class StreamScan {
 public:
  explicit StreamScan(const ScanShape& shape) : contents_(std::make_shared<Contents>()) {
    std::mt19937 random(shape.seed);
    std::vector<std::string> files(shape.disks, std::string(20, 'h'));
    std::vector<sg::Fragment> fragments(shape.disks);
    std::uniform_int_distribution<std::uint32_t> size(shape.smallest, shape.largest);
    for (std::size_t number = 0; number < shape.blocks; ++number) {
      const std::size_t disk = random() % shape.disks;
      std::string payload;
      fill(payload, size(random), random() % kNoiseBytes);
      files[disk] += "12345678";  // where the block header would be
      fragments[disk].blocks.push_back({FileOffset(files[disk].size()),
                                        static_cast<std::uint32_t>(payload.size()),
                                        BlockNumber(static_cast<std::int32_t>(number))});
      files[disk] += payload;
      flat_ += payload;
    }
    for (std::size_t disk = 0; disk < shape.disks; ++disk) {
      fragments[disk].kind = sg::FragmentKind::kScatterGather;
      fragments[disk].file_bytes = files[disk].size();
      fragments[disk].packet_size = shape.packet;
      const std::string path =
          contents_->directory.write(std::to_string(disk) + "/scan", files[disk]);
      contents_->files.push_back(DataFile::open(path).value());
    }
    contents_->index = sg::ScanIndex::merge(std::move(fragments));
  }

  [[nodiscard]] const std::string& flat() const { return flat_; }
  [[nodiscard]] const sg::ScanIndex& index() const { return contents_->index; }
  [[nodiscard]] std::string path(std::size_t disk) const { return contents_->files[disk].path(); }

  /// The scan as a stream's source; `direct` false hides O_DIRECT.
  [[nodiscard]] StreamSource source(bool direct = true) const {
    StreamSource source;
    source.keep_alive = contents_;
    source.index = &contents_->index;
    for (const DataFile& file : contents_->files) {
      source.files.push_back({file.path(), direct ? file.direct_fd() : -1, file.buffered_fd(),
                              file.direct_alignment(),
                              DiskIndex(static_cast<std::uint32_t>(source.files.size()))});
    }
    return source;
  }

 private:
  /// A prime, so that what repeats does not do so where blocks, pages or reads begin.
  static constexpr std::size_t kNoiseBytes = 1'000'003;

  /// `count` bytes of noise, which is made once: tests make hundreds of megabytes of it.
  static void fill(std::string& payload, std::size_t count, std::size_t from) {
    static const ByteVector bytes = noise(kNoiseBytes, 1);
    payload.reserve(count);
    while (payload.size() < count) {
      const std::size_t part = std::min(count - payload.size(), kNoiseBytes - from);
      payload.append(reinterpret_cast<const char*>(bytes.data()) + from, part);
      from = 0;
    }
  }

  struct Contents {
    TemporaryDirectory directory;
    std::vector<DataFile> files;
    sg::ScanIndex index;
  };
  std::shared_ptr<Contents> contents_;
  std::string flat_;
};

}  // namespace mark6::test
