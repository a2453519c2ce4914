// SPDX-License-Identifier: MIT
#include "common/os/file.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

namespace mark6 {
namespace {

std::int64_t nanoseconds(const timespec& time) {
  return static_cast<std::int64_t>(time.tv_sec) * 1'000'000'000 + time.tv_nsec;
}

/// Alignment of O_DIRECT reads on `fd` by statx (Linux 6.1), 0 when the kernel says that the file
/// has no O_DIRECT, 4096 when it does not say (enough for every disk we know).
std::uint32_t direct_alignment_of(int fd) {
#ifdef STATX_DIOALIGN
  struct statx status {};
  if (::statx(fd, "", AT_EMPTY_PATH, STATX_DIOALIGN, &status) == 0 &&
      (status.stx_mask & STATX_DIOALIGN) != 0) {
    if (status.stx_dio_offset_align == 0) return 0;
    return std::max({status.stx_dio_offset_align, status.stx_dio_mem_align, 512U});
  }
#else
  static_cast<void>(fd);
#endif
  return 4096;
}

Result<std::size_t> read_until_full(int fd, FileOffset offset, MutableBytes into,
                                    const std::string& path) {
  std::size_t done = 0;
  while (done < into.size()) {
    const ssize_t n = ::pread(fd, into.data() + done, into.size() - done,
                              static_cast<off_t>(offset.value + done));
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return system_failure(path, "read", errno);
    if (n == 0) break;
    done += static_cast<std::size_t>(n);
  }
  return done;
}

}  // namespace

FileIdentity identity_of(const struct stat& status) {
  return FileIdentity{
      .device = status.st_dev,
      .inode = status.st_ino,
      .size_bytes = static_cast<std::uint64_t>(status.st_size),
      .mtime_ns = nanoseconds(status.st_mtim),
      .ctime_ns = nanoseconds(status.st_ctim),
      .mode = status.st_mode,
      .owner = status.st_uid,
      .group = status.st_gid,
  };
}

Result<DataFile> DataFile::open(const std::string& path) {
  DataFile file;
  file.path_ = path;
  // O_NONBLOCK: opening a FIFO somebody left among the scans must not wait for its writer.
  file.buffered_ = UniqueFd(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK));
  if (!file.buffered_.valid()) return system_failure(path, "open", errno);
  struct stat status {};
  if (::fstat(file.buffered_.get(), &status) != 0) return system_failure(path, "stat", errno);
  if (!S_ISREG(status.st_mode)) {
    return failure(ErrorCode::kBadFormat, path, "not a regular file", "a fragment of a scan");
  }
  file.identity_ = identity_of(status);
  // Headers lie megabytes apart: read-ahead behind each of them would be thrown away.
  ::posix_fadvise(file.buffered_.get(), 0, 0, POSIX_FADV_RANDOM);
  file.direct_alignment_ = direct_alignment_of(file.buffered_.get());
  if (file.direct_alignment_ != 0) {
    file.direct_ =
        UniqueFd(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK | O_DIRECT));
    // The name may have been given to another file between the two opens.
    struct stat again {};
    if (file.direct_.valid() && (::fstat(file.direct_.get(), &again) != 0 ||
                                 again.st_dev != status.st_dev || again.st_ino != status.st_ino)) {
      file.direct_.reset();
    }
  }
  return file;
}

Result<std::size_t> DataFile::read_some_at(FileOffset offset, MutableBytes into) const {
  return read_until_full(buffered_.get(), offset, into, path_);
}

Result<void> DataFile::read_exactly_at(FileOffset offset, MutableBytes into) const {
  const auto got = read_until_full(buffered_.get(), offset, into, path_);
  if (!got) return Failure(got.error());
  if (*got < into.size()) return failure(ErrorCode::kIo, path_, "has become shorter");
  return {};
}

Result<std::string> read_small_file(const std::string& path, std::size_t limit_bytes) {
  const UniqueFd fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK));
  if (!fd.valid()) return system_failure(path, "open", errno);
  struct stat status {};
  if (::fstat(fd.get(), &status) != 0) return system_failure(path, "stat", errno);
  if (!S_ISREG(status.st_mode)) {
    return failure(ErrorCode::kBadFormat, path, "not a regular file", "a text file");
  }
  std::string text(std::min(limit_bytes, static_cast<std::size_t>(status.st_size)), '\0');
  const auto got =
      read_until_full(fd.get(), FileOffset(0), std::as_writable_bytes(std::span(text)), path);
  if (!got) return Failure(got.error());
  text.resize(*got);
  return text;
}

}  // namespace mark6
