// SPDX-License-Identifier: MIT
#include "fuse/info_files.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <ctime>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "common/base/clock.hpp"
#include "common/report/stats_json.hpp"
#include "fuse/statistics.hpp"

namespace mark6 {
namespace {

constexpr double kForeverSeconds = 86'400;
constexpr double kBrieflySeconds = 1;

struct InfoFile {
  const char* name;
  std::string (*text)(Service&);
};

std::string json_text(Service& service) {
  return stats_json(service.statistics.snapshot(monotonic_ns()));
}

constexpr std::array<InfoFile, 3> kFiles = {
    {{"disks", &disks_text}, {"health", &health_text}, {"stats.json", &json_text}}};

std::uint64_t inode_of(std::size_t file) { return kInfoDirectoryInode + 1 + file; }

struct stat status_of(const Service& service, fuse_ino_t inode) {
  struct stat status {};
  const bool directory = inode == kInfoDirectoryInode;
  status.st_ino = inode;
  status.st_mode = directory ? S_IFDIR | 0555 : S_IFREG | 0444;
  status.st_nlink = directory ? 2 : 1;
  status.st_uid = ::getuid();
  status.st_gid = ::getgid();
  status.st_atim.tv_sec = status.st_mtim.tv_sec = status.st_ctim.tv_sec =
      directory ? service.mounted_at : std::time(nullptr);
  return status;
}

void reply_entry(const Service& service, fuse_req_t request, std::uint64_t inode) {
  fuse_entry_param entry{};
  entry.ino = inode;
  entry.attr = status_of(service, inode);
  entry.entry_timeout = kForeverSeconds;
  entry.attr_timeout = kBrieflySeconds;
  fuse_reply_entry(request, &entry);
}

}  // namespace

bool is_info(fuse_ino_t inode) {
  return inode >= kInfoDirectoryInode && inode < inode_of(kFiles.size());
}

bool info_lookup(const Service& service, fuse_req_t request, fuse_ino_t parent, const char* name) {
  const std::string_view wanted(name);
  if (parent == Tree::kRootInode && wanted == kInfoDirectoryName) {
    reply_entry(service, request, kInfoDirectoryInode);
    return true;
  }
  if (parent != kInfoDirectoryInode) return false;
  for (std::size_t i = 0; i < kFiles.size(); ++i) {
    if (wanted == kFiles[i].name) {
      reply_entry(service, request, inode_of(i));
      return true;
    }
  }
  return false;
}

void info_getattr(const Service& service, fuse_req_t request, fuse_ino_t inode) {
  const struct stat status = status_of(service, inode);
  fuse_reply_attr(request, &status, kBrieflySeconds);
}

void info_readdir(fuse_req_t request, std::size_t room, off_t offset) {
  std::vector<char> buffer(room);
  std::size_t used = 0;
  for (auto i = static_cast<std::size_t>(std::max<off_t>(offset, 0)); i < kFiles.size() + 2; ++i) {
    struct stat status {};
    status.st_ino = i == 0 ? kInfoDirectoryInode : i == 1 ? Tree::kRootInode : inode_of(i - 2);
    status.st_mode = i < 2 ? S_IFDIR : S_IFREG;
    const char* name = i == 0 ? "." : i == 1 ? ".." : kFiles[i - 2].name;
    const std::size_t length = fuse_add_direntry(request, buffer.data() + used, room - used, name,
                                                 &status, static_cast<off_t>(i) + 1);
    if (length > room - used) break;
    used += length;
  }
  fuse_reply_buf(request, buffer.data(), used);
}

void info_open(Service& service, fuse_req_t request, fuse_ino_t inode, fuse_file_info file) {
  if ((file.flags & O_ACCMODE) != O_RDONLY || (file.flags & O_TRUNC) != 0) {
    fuse_reply_err(request, EROFS);
    return;
  }
  if (inode == kInfoDirectoryInode) {
    fuse_reply_err(request, EISDIR);
    return;
  }
  const InfoFile& info = kFiles[inode - inode_of(0)];
  file.fh = service.open_texts.add(std::make_shared<const std::string>(info.text(service)));
  file.direct_io = 1;
  file.noflush = 1;
  if (fuse_reply_open(request, &file) != 0) service.open_texts.remove(file.fh);
}

void info_read(const Service& service, fuse_req_t request, const fuse_file_info& file,
               std::size_t length, off_t offset) {
  const auto text = service.open_texts.find(file.fh);
  if (text == nullptr || offset < 0) {
    fuse_reply_err(request, EBADF);
    return;
  }
  const std::size_t begin = std::min(static_cast<std::size_t>(offset), text->size());
  fuse_reply_buf(request, text->data() + begin, std::min(length, text->size() - begin));
}

}  // namespace mark6
