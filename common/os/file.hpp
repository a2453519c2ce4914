// SPDX-License-Identifier: MIT
// A file of module data, opened for reading only: once with O_DIRECT where the file system has it,
// once through the page cache for headers and small random reads. Never written, never mmapped.
#pragma once

#include <sys/stat.h>
#include <sys/types.h>

#include <cstdint>
#include <string>

#include "common/base/byte_source.hpp"
#include "common/base/bytes.hpp"
#include "common/base/error.hpp"
#include "common/base/units.hpp"
#include "common/os/unique_fd.hpp"

namespace mark6 {

/// What identifies a file and tells that it has changed since.
struct FileIdentity {
  dev_t device = 0;
  ino_t inode = 0;
  std::uint64_t size_bytes = 0;
  std::int64_t mtime_ns = 0;
  std::int64_t ctime_ns = 0;
  mode_t mode = 0;
  uid_t owner = 0;
  gid_t group = 0;
  bool operator==(const FileIdentity&) const = default;
};

/// The identity that `status` tells.
FileIdentity identity_of(const struct stat& status);

/// A regular file opened for reading. Thread-safe: all reads are positional.
class DataFile final : public ByteSource {
 public:
  /// Opens `path` (symbolic links are followed). Refuses what is not a regular file, without ever
  /// blocking on a FIFO or device. Errors: kNotFound, kIo, kBadFormat (not a regular file).
  static Result<DataFile> open(const std::string& path);

  [[nodiscard]] const std::string& path() const { return path_; }
  [[nodiscard]] const FileIdentity& identity() const { return identity_; }
  [[nodiscard]] std::uint64_t size() const override { return identity_.size_bytes; }

  /// Descriptor for O_DIRECT reads, or -1 where the file system has none (tmpfs).
  [[nodiscard]] int direct_fd() const { return direct_.get(); }
  /// Descriptor for reads through the page cache.
  [[nodiscard]] int buffered_fd() const { return buffered_.get(); }
  /// Bytes to which offset, length and address of an O_DIRECT read are aligned (a power of two).
  [[nodiscard]] std::uint32_t direct_alignment() const { return direct_alignment_; }

  /// Reads through the page cache at `offset` until `into` is full or the file ends; the number of
  /// bytes read. Errors: kIo.
  Result<std::size_t> read_at(FileOffset offset, MutableBytes into) override {
    return read_some_at(offset, into);
  }
  /// The same, of a file that is shared and constant.
  [[nodiscard]] Result<std::size_t> read_some_at(FileOffset offset, MutableBytes into) const;
  /// Fills all of `into`. Errors: kIo, also where the file ends before.
  [[nodiscard]] Result<void> read_exactly_at(FileOffset offset, MutableBytes into) const;

 private:
  std::string path_;
  FileIdentity identity_;
  UniqueFd direct_;
  UniqueFd buffered_;
  std::uint32_t direct_alignment_ = 4096;
};

/// The whole of a small text file (metadata), at most `limit_bytes` of it.
Result<std::string> read_small_file(const std::string& path, std::size_t limit_bytes);

}  // namespace mark6
