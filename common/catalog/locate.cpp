// SPDX-License-Identifier: MIT
// discover(): from globs to disk directories to the files on them. Directories are read by one
// thread per disk, because each holds thousands of names on a disk of its own.
#include <dirent.h>
#include <fcntl.h>
#include <glob.h>
#include <sys/stat.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <memory>
#include <set>
#include <string_view>
#include <thread>
#include <utility>

#include "common/base/escape.hpp"
#include "common/catalog/assemble.hpp"
#include "common/catalog/catalog.hpp"

namespace mark6 {
namespace {

constexpr std::size_t kMaxListingThreads = 64;

struct DirectoryCloser {
  void operator()(DIR* directory) const { ::closedir(directory); }
};
using DirectoryPtr = std::unique_ptr<DIR, DirectoryCloser>;

/// Opens a directory for reading its names; nullptr with errno.
DirectoryPtr open_directory(const std::string& path) {
  const int fd = ::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (fd < 0) return nullptr;
  DirectoryPtr directory(::fdopendir(fd));
  if (!directory) ::close(fd);
  return directory;
}

/// The next entry but "." and ".." and hidden ones; nullptr at the end or, with errno, on an error.
const dirent* next_entry(DIR* directory) {
  while (true) {
    errno = 0;
    const dirent* entry = ::readdir(directory);  // NOLINT(concurrency-mt-unsafe): own stream
    if (entry == nullptr || entry->d_name[0] != '.') return entry;
  }
}

bool is_recording_name(std::string_view name) {
  return name != "lost+found" && name != "cull" && !name.starts_with("data-die");
}

std::string problem(const std::string& path, const char* what, int errno_value) {
  return describe(system_failure(path, what, errno_value).value());
}

/// Looks at one name in a disk's directory and notes it when it is a fragment.
void note_entry(int directory_fd, const dirent& entry, FoundDisk& disk) {
  const std::string name = entry.d_name;
  if (entry.d_type == DT_DIR || !is_recording_name(name)) return;
  const std::string path = disk.disk.directory + "/" + name;
  struct stat link {};
  struct stat status {};
  if (::fstatat(directory_fd, entry.d_name, &link, AT_SYMLINK_NOFOLLOW) != 0 ||
      ::fstatat(directory_fd, entry.d_name, &status, 0) != 0) {
    disk.problems.push_back(problem(path, "stat", errno));
    return;
  }
  if (!S_ISREG(status.st_mode)) return;
  disk.files.push_back(
      FoundFile{name, FragmentPath{.path = path,
                                   .disk = DiskIndex(0),
                                   .size_bytes = static_cast<std::uint64_t>(status.st_size),
                                   .mtime_s = status.st_mtim.tv_sec,
                                   .is_symlink = S_ISLNK(link.st_mode),
                                   .identity = identity_of(status)}});
}

void list_files(FoundDisk& disk) {
  const DirectoryPtr directory = open_directory(disk.disk.directory);
  if (!directory) {
    disk.problems.push_back(problem(disk.disk.directory, "open the directory", errno));
    return;
  }
  while (const dirent* entry = next_entry(directory.get())) {
    note_entry(::dirfd(directory.get()), *entry, disk);
  }
  if (errno != 0) {
    disk.problems.push_back(problem(disk.disk.directory, "read the directory", errno));
  }
}

void list_all(std::vector<FoundDisk>& disks) {
  std::atomic<std::size_t> next{0};
  const auto work = [&disks, &next] {
    for (std::size_t i = next++; i < disks.size(); i = next++) list_files(disks[i]);
  };
  std::vector<std::jthread> threads;
  for (std::size_t i = 1; i < std::min(disks.size(), kMaxListingThreads); ++i) {
    threads.emplace_back(work);
  }
  work();
}

/// Gathers disks, each once, however many names lead to it.
class DiskFinder {
 public:
  explicit DiskFinder(const std::optional<std::string>& meta_root) : meta_root_(meta_root) {}

  /// Takes all disks that `source` names; what it names literally comes before what it matches.
  void add_source(const std::string& source) {
    if (directory_status(source)) {
      add(source, kMaxDepth);
      return;
    }
    const std::vector<std::string> matches = directories_matching(source);
    if (matches.empty()) no_match_.push_back(source);
    for (const std::string& match : matches) add(match, kMaxDepth);
  }

  /// Sources without any directory, and directories that could not be looked into.
  [[nodiscard]] std::vector<std::string> problems() const {
    std::vector<std::string> all = problems_;
    for (const std::string& source : no_match_)
      all.push_back(escaped(source) + ": no such directory");
    return all;
  }

  /// Why there is no disk at all.
  [[nodiscard]] Failure nothing_found() const {
    std::string sources;
    for (const std::string& one : no_match_) sources += (sources.empty() ? "" : ", ") + one;
    return failure(
        ErrorCode::kNotFound, sources,
        problems_.empty() ? "no such directory" : "no such directory (" + problems_[0] + ")",
        "disk directories of modules",
        "mount the modules, or give a glob of disk directories on the command line or in "
        "MARK6_ROOT, e.g. '/mnt/disks/[12]/*'");
  }

  std::vector<FoundDisk> disks;

 private:
  /// /mnt/disks holds modules, which hold disks.
  static constexpr int kMaxDepth = 2;

  /// The directories that fit a glob, those that cannot be looked into become problems.
  std::vector<std::string> directories_matching(const std::string& pattern) {
    static thread_local std::vector<std::string>* problems = nullptr;  // glob passes no context
    problems = &problems_;
    const auto on_error = [](const char* path, int errno_value) {
      if (errno_value != ENOENT && errno_value != ENOTDIR) {
        problems->push_back(problem(path, "open the directory", errno_value));
      }
      return 0;
    };
    glob_t found{};
    std::vector<std::string> result;
    if (::glob(pattern.c_str(), GLOB_BRACE | GLOB_TILDE, on_error, &found) == 0) {
      for (std::size_t i = 0; i < found.gl_pathc; ++i) {
        if (directory_status(found.gl_pathv[i])) result.emplace_back(found.gl_pathv[i]);
      }
    }
    ::globfree(&found);
    return result;
  }

  void add(std::string path, int depth) {
    while (path.size() > 1 && path.back() == '/') path.pop_back();
    if (directory_status(path + "/" + kDataDirectory)) {
      add_disk(path + "/" + kDataDirectory);
      return;
    }
    const std::vector<std::string> inner =
        depth > 0 ? disks_inside(path) : std::vector<std::string>{};
    if (inner.empty()) add_disk(path);
    for (const std::string& disk : inner) add(disk, depth - 1);
  }

  void add_disk(const std::string& directory) {
    const auto status = directory_status(directory);
    if (!status || !seen_.insert(FileKey{status->st_dev, status->st_ino}).second) return;
    disks.push_back(FoundDisk{disk_of_directory(directory, meta_root_)});
  }

  /// Where `path` is a module, or the directory of all modules: the directories in it. A directory
  /// with files in it is a disk.
  static std::vector<std::string> disks_inside(const std::string& path) {
    const DirectoryPtr directory = open_directory(path);
    std::vector<std::string> inner;
    if (!directory || path.ends_with(std::string("/") + kDataDirectory)) return inner;
    while (const dirent* entry = next_entry(directory.get())) {
      const std::string name = entry->d_name;
      if (!is_recording_name(name)) continue;
      const std::string below = std::string(path).append("/").append(name);
      if (!directory_status(below)) return {};
      const bool numbered =
          std::all_of(name.begin(), name.end(), [](char c) { return c >= '0' && c <= '9'; });
      if (numbered || directory_status(below + "/" + kDataDirectory)) inner.push_back(below);
    }
    return inner;
  }

  const std::optional<std::string>& meta_root_;
  std::set<FileKey> seen_;
  std::vector<std::string> problems_;
  std::vector<std::string> no_match_;
};

}  // namespace

Result<Catalog> discover(const CatalogSources& sources) {
  DiskFinder finder(sources.meta_root);
  for (const std::string& source : sources.disk_globs) finder.add_source(source);
  if (finder.disks.empty()) return finder.nothing_found();
  list_all(finder.disks);
  return assemble(std::move(finder.disks), finder.problems());
}

}  // namespace mark6
