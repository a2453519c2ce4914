// SPDX-License-Identifier: MIT
#include "gather/plan.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <vector>

#include "common/base/bytes.hpp"
#include "common/sg/block_search.hpp"

namespace mark6::gather {
namespace {

/// Fills `into` from `offset` of the file on.
Result<void> read_exactly(int fd, std::uint64_t offset, const std::string& name,
                          MutableBytes into) {
  while (!into.empty()) {
    const ssize_t n = ::pread(fd, into.data(), into.size(), static_cast<off_t>(offset));
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return system_failure(name, "read, to compare scan and output", errno);
    if (n == 0) return failure(ErrorCode::kIo, name, "has become shorter while it was read");
    into = into.subspan(static_cast<std::size_t>(n));
    offset += static_cast<std::uint64_t>(n);
  }
  return {};
}

/// An open fragment as the format's code reads it.
class FragmentView final : public ByteSource {
 public:
  explicit FragmentView(const DataFile& file) : file_(file) {}
  [[nodiscard]] std::uint64_t size() const override { return file_.size(); }
  Result<std::size_t> read_at(FileOffset offset, MutableBytes into) override {
    auto read = read_exactly(file_.buffered_fd(), offset.value, file_.path(), into);
    if (!read) return Failure(read.error());
    return into.size();
  }

 private:
  const DataFile& file_;
};

/// The block that holds `offset`, with its place.
Result<sg::Extent> locate(const OpenedScan& scan, ScanOffset offset) {
  sg::Extent block = scan.index.block(scan.index.find(offset));
  const sg::BlockGrid* grid = scan.index.grid();
  if (grid == nullptr) return block;
  for (std::size_t i = 0; i < grid->fragments().size(); ++i) {
    const FragmentIndex fragment = scan.index.fragment_of_grid(i);
    FragmentView view(*scan.files[fragment.value]);
    const auto place = sg::find_block(view, grid->fragments()[i], block.number);
    if (!place) return Failure(place.error());
    if (!*place) continue;
    block.place = sg::Extent::place_of(fragment, grid->fragments()[i].payload_offset(**place));
    return block;
  }
  return failure(ErrorCode::kIo, scan.name, fmt::format("block {} is missing", block.number.value));
}

/// Fills `into` with the bytes of the scan from `offset` on; all of them lie in the scan.
Result<void> read_scan(const OpenedScan& scan, ScanOffset offset, MutableBytes into) {
  while (!into.empty()) {
    const auto located = locate(scan, offset);
    if (!located) return Failure(located.error());
    const sg::Extent& extent = *located;
    const std::size_t size = std::min<std::uint64_t>(into.size(), extent.scan_end() - offset);
    const FileOffset at = extent.file_offset() + (offset - extent.scan_offset);
    const auto& file = scan.files[extent.fragment().value];
    if (!file) return failure(ErrorCode::kIo, scan.name, "a fragment with blocks is not open");
    if (auto read = read_exactly(file->buffered_fd(), at.value, file->path(), into.first(size));
        !read) {
      return read;
    }
    into = into.subspan(size);
    offset = offset + size;
  }
  return {};
}

}  // namespace

Result<Range> plan_range(const Options& options, const OpenedScan& scan) {
  const std::uint64_t size = scan.index.size_bytes();
  if (options.skip_bytes > size) {
    return failure(ErrorCode::kUsage, "--skip",
                   fmt::format("{} lies behind the end of the scan", options.skip_bytes),
                   fmt::format("at most its size, {} bytes", size));
  }
  const std::uint64_t left = size - options.skip_bytes;
  const ScanOffset begin(options.skip_bytes);
  return Range{begin, begin + std::min(options.bytes.value_or(left), left)};
}

Result<Range> resume(const Range& range, const Output& output, const OpenedScan& scan) {
  if (output.size_bytes > range.bytes()) {
    return failure(
        ErrorCode::kUsage, output.name, fmt::format("holds {} bytes already", output.size_bytes),
        fmt::format("at most the {} bytes of {} to be delivered", range.bytes(), scan.name),
        "it is not the beginning of this scan; --force overwrites it");
  }
  const ScanOffset at = range.begin + output.size_bytes;
  const std::size_t size = std::min<std::uint64_t>(output.size_bytes, kComparedBytes);
  std::vector<std::byte> there(size);
  std::vector<std::byte> wanted(size);
  if (auto read = read_exactly(output.fd, output.size_bytes - size, output.name, there); !read) {
    return Failure(read.error());
  }
  if (auto read = read_scan(scan, at - size, wanted); !read) return Failure(read.error());
  if (size > 0 && std::memcmp(there.data(), wanted.data(), size) != 0) {
    return failure(ErrorCode::kUsage, output.name,
                   fmt::format("its last {} bytes are not those of {} before byte {}", size,
                               scan.name, at.value),
                   "an output that an earlier run of the same command left",
                   "--force overwrites it");
  }
  return Range{at, range.end};
}

}  // namespace mark6::gather
