// SPDX-License-Identifier: MIT
#include "gather/output.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <spdlog/spdlog.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include "common/base/escape.hpp"

namespace mark6::gather {
namespace {

Failure refused(const std::string& name, const std::string& found, const std::string& expected,
                const std::string& advice = {}) {
  return failure(ErrorCode::kUsage, name, found, expected, advice);
}

bool is_fifo(const UniqueFd& fd) {
  struct stat status {};
  return ::fstat(fd.get(), &status) == 0 && S_ISFIFO(status.st_mode);
}

/// Opens a FIFO once somebody reads it.
Result<UniqueFd> open_fifo(const std::string& path, const StopEvent& stop) {
  constexpr int kPatienceMs = 50;
  for (int tries = 0;; ++tries) {
    UniqueFd fd(::open(path.c_str(), O_WRONLY | O_NONBLOCK | O_CLOEXEC));
    if (fd.valid() && !is_fifo(fd)) {
      return refused(path, "is no FIFO any more: it was replaced while we waited for a reader",
                     "a FIFO", "nothing was written to it; try again");
    }
    if (fd.valid()) return fd;
    if (errno != ENXIO) return system_failure(path, "open", errno);
    if (tries == 1) spdlog::info("{}: waiting for somebody to read this FIFO", escaped(path));
    if (auto slept = stop.sleep(kPatienceMs); !slept) return Failure(slept.error());
  }
}

/// Opens `path` without changing what it holds.
Result<UniqueFd> open_path(const std::string& path, OutputMode mode, const StopEvent& stop) {
  struct stat status {};
  const bool exists = ::stat(path.c_str(), &status) == 0;
  if (exists && S_ISFIFO(status.st_mode)) return open_fifo(path, stop);
  const bool device = exists && S_ISCHR(status.st_mode);
  int flags = O_CLOEXEC | O_NOCTTY | (mode == OutputMode::kAppend ? O_RDWR : O_WRONLY);
  if (!device) flags |= O_CREAT | (mode == OutputMode::kNew ? O_EXCL : 0);
  UniqueFd fd(::open(path.c_str(), flags, 0666));
  if (fd.valid()) return fd;
  if (errno == EEXIST) {
    return refused(path, "exists already", "a new file",
                   "--force overwrites it, --append resumes where it ends");
  }
  return system_failure(path, "open for writing", errno);
}

/// For a pipe that was handed to us: a description of our own that does not block. Ours alone,
/// because O_NONBLOCK on the shared one would surprise the programs that share it.
void make_private(Output& output) {
  if ((::fcntl(output.fd, F_GETFL) & O_NONBLOCK) != 0) return;
  const std::string self = fmt::format("/proc/self/fd/{}", output.fd);
  UniqueFd fd(::open(self.c_str(), O_WRONLY | O_NONBLOCK | O_CLOEXEC));
  if (!fd.valid()) return;
  output.owned = std::move(fd);
  output.fd = output.owned.get();
}

Result<void> set_kind(Output& output, mode_t mode) {
  switch (mode & S_IFMT) {
    case S_IFREG:
      output.kind = OutputKind::kFile;
      return {};
    case S_IFIFO:
      output.kind = OutputKind::kPipe;
      return {};
    case S_IFSOCK:
      output.kind = OutputKind::kSocket;
      return {};
    case S_IFCHR:
      output.kind = OutputKind::kDevice;
      return {};
    default:
      return refused(output.name, "is a directory or a block device",
                     "a file, a FIFO, a character device or - for stdout");
  }
}

/// Checks what was opened; only then cuts or positions a file.
Result<void> prepare(Output& output, OutputMode mode, const std::vector<FileKey>& inputs) {
  struct stat status {};
  if (::fstat(output.fd, &status) != 0) return system_failure(output.name, "stat", errno);
  if (auto kind = set_kind(output, status.st_mode); !kind) return kind;
  if (::isatty(output.fd) == 1) {
    return refused(output.name, "refuses to write data to a terminal", "a pipe or a file",
                   "use -o FILE, or pipe the stream into a program");
  }
  if (std::find(inputs.begin(), inputs.end(), FileKey{status.st_dev, status.st_ino}) !=
      inputs.end()) {
    return refused(output.name, "is one of the inputs, which are never written to", "another file");
  }
  if (output.kind == OutputKind::kPipe) make_private(output);
  if (mode == OutputMode::kAppend) {
    if (output.kind != OutputKind::kFile || !output.is_path) {
      return refused(output.name, "--append given", "a file, named by -o or as the last argument");
    }
    output.size_bytes = static_cast<std::uint64_t>(status.st_size);
    if (::lseek(output.fd, 0, SEEK_END) < 0) return system_failure(output.name, "seek", errno);
  }
  if (mode == OutputMode::kForce && output.kind == OutputKind::kFile && output.is_path &&
      ::ftruncate(output.fd, 0) != 0) {
    return system_failure(output.name, "truncate", errno);
  }
  return {};
}

}  // namespace

Result<Output> open_output(const std::optional<std::string>& path, OutputMode mode,
                           const std::vector<FileKey>& inputs, const Environment& environment,
                           const StopEvent& stop) {
  Output output;
  if (path) {
    auto fd = open_path(*path, mode, stop);
    if (!fd) return Failure(fd.error());
    output.owned = std::move(*fd);
    output.fd = output.owned.get();
    output.name = *path;
    output.is_path = true;
  } else {
    output.fd = environment.stdout_fd;
    output.name = "stdout";
  }
  if (auto prepared = prepare(output, mode, inputs); !prepared) return Failure(prepared.error());
  return output;
}

Result<void> close_output(Output& output) {
  if (!output.owned.valid()) return {};
  output.fd = -1;
  if (::close(output.owned.release()) != 0 && errno != EINTR) {
    return system_failure(output.name, "close", errno);
  }
  return {};
}

}  // namespace mark6::gather
