// SPDX-License-Identifier: MIT
#include "tools/synth_files.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <filesystem>

#include "common/base/environment.hpp"

namespace mark6::synth {
namespace {

constexpr mode_t kDirectoryMode = 0777;  // the umask takes its share
constexpr mode_t kFileMode = 0666;

/// Nothing when `path` may be made or replaced.
Result<void> check_target(const std::string& path, IfExists if_exists) {
  struct stat status {};
  if (::lstat(path.c_str(), &status) != 0) return {};
  if (!S_ISREG(status.st_mode)) {
    return failure(ErrorCode::kUsage, path, "exists and is not a regular file", "a new file");
  }
  if (if_exists == IfExists::kRefuse) {
    return failure(ErrorCode::kUsage, path, "exists already", {},
                   "use another name, or --force to replace it");
  }
  return {};
}

}  // namespace

bool exists(const std::string& path) {
  struct stat status {};
  return ::lstat(path.c_str(), &status) == 0;
}

NewFiles::~NewFiles() {
  if (kept_) return;
  for (const File& file : files_) {
    if (!file.published) {
      ::unlink(file.hidden.c_str());
    } else if (!file.replaced) {
      ::unlink(file.path.c_str());
    }
  }
  // Only empty ones go, so what others have put there meanwhile stays.
  for (auto path = directories_.rbegin(); path != directories_.rend(); ++path) {
    ::rmdir(path->c_str());
  }
}

Result<void> NewFiles::make_directories(const std::string& path) {
  const std::filesystem::path above = std::filesystem::path(path).parent_path();
  if (!above.empty() && above != path && !exists(above.string())) {
    if (auto made = make_directories(above.string()); !made) return made;
  }
  if (::mkdir(path.c_str(), kDirectoryMode) == 0) {
    directories_.push_back(path);
    return {};
  }
  struct stat status {};
  const int reason = errno;
  const bool is_there = ::stat(path.c_str(), &status) == 0 && S_ISDIR(status.st_mode);
  if (!is_there) return system_failure(path, "make the directory", reason);
  return {};
}

Result<int> NewFiles::create(const std::string& path, IfExists if_exists) {
  if (auto fits = check_target(path, if_exists); !fits) return Failure(fits.error());
  const std::filesystem::path directory = std::filesystem::path(path).parent_path();
  File file{.path = path, .if_exists = if_exists};
  file.hidden = (directory / fmt::format(".mark6-synth-{}-{}", ::getpid(), files_.size())).string();
  file.fd =
      UniqueFd(::open(file.hidden.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, kFileMode));
  if (!file.fd.valid()) return system_failure(path, "make the file", errno);
  files_.push_back(std::move(file));
  return files_.back().fd.get();
}

Result<void> NewFiles::create_text(const std::string& path, std::string_view text,
                                   IfExists if_exists) {
  const auto fd = create(path, if_exists);
  if (!fd) return Failure(fd.error());
  auto written = write_text(*fd, text);
  if (!written) written.error().path = path;
  return written;
}

Result<void> NewFiles::publish() {
  for (File& file : files_) {
    // Some file systems report a full disk or quota only here.
    if (::close(file.fd.release()) != 0) return system_failure(file.path, "close", errno);
  }
  for (File& file : files_) {
    if (auto fits = check_target(file.path, file.if_exists); !fits) return fits;
    file.replaced = exists(file.path);
    if (::rename(file.hidden.c_str(), file.path.c_str()) != 0) {
      return system_failure(file.path, "name the file", errno);
    }
    file.published = true;
  }
  return {};
}

}  // namespace mark6::synth
