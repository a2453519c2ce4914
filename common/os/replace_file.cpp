// SPDX-License-Identifier: MIT
#include "common/os/replace_file.hpp"

#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <climits>
#include <memory>

#include "common/os/unique_fd.hpp"

namespace mark6 {
namespace {

/// `path` with the links followed; as it is where it does not exist.
std::string real_path(const std::string& path) {
  const std::unique_ptr<char, decltype(&::free)> real(::realpath(path.c_str(), nullptr), &::free);
  return real ? std::string(real.get()) : path;
}

std::string directory_of(const std::string& path) {
  const auto slash = path.rfind('/');
  return slash == std::string::npos ? "." : path.substr(0, slash + 1);
}

/// Beside `path`, hidden, and not ending as `path` does: those who collect *.prom must not take it.
std::string temporary_name(const std::string& path) {
  const auto slash = path.rfind('/');
  const std::size_t name = slash == std::string::npos ? 0 : slash + 1;
  return path.substr(0, name) + "." + path.substr(name) + ".XXXXXX";
}

int write_all(int fd, std::string_view text) {
  while (!text.empty()) {
    const ssize_t n = ::write(fd, text.data(), text.size());
    if (n >= 0) {
      text.remove_prefix(static_cast<std::size_t>(n));
    } else if (errno != EINTR) {
      return errno;
    }
  }
  return 0;
}

Failure not_ours(const std::string& path, std::string found) {
  return failure(ErrorCode::kUsage, path, std::move(found),
                 "a new file, or one that statistics were written to before", "name another file");
}

}  // namespace

Result<void> check_replaceable(const std::string& path, std::string_view mark) {
  struct stat status {};
  if (::stat(path.c_str(), &status) != 0) {
    if (errno != ENOENT) return system_failure(path, "look at", errno);
    const std::string directory = directory_of(path);
    if (::stat(directory.c_str(), &status) != 0) {
      return system_failure(directory, "look at", errno);
    }
    return {};
  }
  if (S_ISDIR(status.st_mode)) return not_ours(path, "is a directory");
  if (!S_ISREG(status.st_mode)) return not_ours(path, "is not a regular file");
  const UniqueFd fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK));
  if (!fd.valid()) return system_failure(path, "open", errno);
  std::string begin(mark.size(), '\0');
  const ssize_t got = ::pread(fd.get(), begin.data(), begin.size(), 0);
  if (got < 0) return system_failure(path, "read", errno);
  if (static_cast<std::size_t>(got) != mark.size() || begin != mark) {
    return not_ours(path, "holds something else");
  }
  return {};
}

Result<void> replace_file(const std::string& path, std::string_view text, std::string_view mark) {
  if (auto may = check_replaceable(path, mark); !may) return may;
  const std::string target = real_path(path);
  std::string temporary = temporary_name(target);
  const UniqueFd fd(::mkostemp(temporary.data(), O_CLOEXEC));
  if (!fd.valid()) return system_failure(path, "write beside", errno);
  constexpr mode_t kMode = 0644;
  int error = write_all(fd.get(), text);
  const char* what = "write";
  if (error == 0 && ::fchmod(fd.get(), kMode) != 0) error = errno;
  if (error == 0 && ::rename(temporary.c_str(), target.c_str()) != 0) {
    error = errno;
    what = "replace";
  }
  if (error == 0) return {};
  ::unlink(temporary.c_str());
  return system_failure(path, what, error);
}

}  // namespace mark6
