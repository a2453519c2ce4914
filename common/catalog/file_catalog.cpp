// SPDX-License-Identifier: MIT
// catalog_of_files(): a catalog of exactly the fragments that were named, in whatever order and
// from whatever places; the disks are their directories.
#include <sys/stat.h>

#include <cerrno>
#include <map>
#include <set>
#include <tuple>
#include <utility>

#include "common/catalog/assemble.hpp"
#include "common/catalog/catalog.hpp"

namespace mark6 {
namespace {

/// Directory and name of `path`; the directory of a bare name is ".".
std::pair<std::string, std::string> split_path(const std::string& path) {
  const std::size_t slash = path.rfind('/');
  if (slash == std::string::npos) return {".", path};
  return {slash == 0 ? "/" : path.substr(0, slash), path.substr(slash + 1)};
}

/// Status of the fragment `path`; `is_symlink` tells whether it was a link.
Result<struct stat> fragment_status(const std::string& path, bool& is_symlink) {
  struct stat link {};
  struct stat status {};
  if (::lstat(path.c_str(), &link) != 0 || ::stat(path.c_str(), &status) != 0) {
    return system_failure(path, "open", errno);
  }
  if (!S_ISREG(status.st_mode)) {
    return failure(ErrorCode::kBadFormat, path,
                   S_ISDIR(status.st_mode) ? "a directory" : "not a regular file",
                   "fragment files, e.g. /mnt/disks/1/*/data/SCAN.vdif");
  }
  is_symlink = S_ISLNK(link.st_mode);
  return status;
}

}  // namespace

Result<Catalog> catalog_of_files(const std::vector<std::string>& paths) {
  std::vector<FoundDisk> disks;
  std::map<FileKey, std::size_t> disk_of;
  std::set<std::pair<FileKey, std::string>> seen;
  for (const std::string& path : paths) {
    bool is_symlink = false;
    const auto status = fragment_status(path, is_symlink);
    if (!status) return Failure(status.error());
    const auto [directory, name] = split_path(path);
    if (!seen.insert({FileKey{status->st_dev, status->st_ino}, name}).second) continue;
    const auto home = directory_status(directory);
    if (!home) return system_failure(directory, "open the directory", errno);
    const auto [disk, is_new] =
        disk_of.try_emplace(FileKey{home->st_dev, home->st_ino}, disks.size());
    if (is_new) disks.push_back(FoundDisk{disk_of_directory(directory, std::nullopt)});
    disks[disk->second].files.push_back(
        FoundFile{name, FragmentPath{.path = path,
                                     .disk = DiskIndex(0),
                                     .size_bytes = static_cast<std::uint64_t>(status->st_size),
                                     .mtime_s = status->st_mtim.tv_sec,
                                     .is_symlink = is_symlink,
                                     .identity = identity_of(*status)}});
  }
  return assemble(std::move(disks), {});
}

}  // namespace mark6
