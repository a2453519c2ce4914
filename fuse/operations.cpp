// SPDX-License-Identifier: MIT
#include "fuse/operations.hpp"

#include <fcntl.h>
#include <sys/statvfs.h>

#include <algorithm>
#include <cerrno>
#include <exception>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "common/base/escape.hpp"
#include "common/base/log.hpp"
#include "fuse/info_files.hpp"
#include "fuse/parked.hpp"
#include "fuse/service.hpp"

namespace mark6 {
namespace {

/// Scans that nobody records do not change; where they do, the kernel is told.
constexpr double kForeverSeconds = 86'400;
/// How long a name that was not there may be remembered as such, and the root's date as it was.
constexpr double kBrieflySeconds = 1;
constexpr blksize_t kRequestBytes = blksize_t{1} << 20;

struct stat root_status(const Service& service) {
  struct stat status {};
  status.st_ino = Tree::kRootInode;
  status.st_mode = S_IFDIR | 0555;
  status.st_nlink = 2;
  status.st_uid = ::getuid();
  status.st_gid = ::getgid();
  status.st_size = static_cast<off_t>(service.tree.listing()->size());
  status.st_blksize = kRequestBytes;
  status.st_atim.tv_sec = status.st_mtim.tv_sec = status.st_ctim.tv_sec = service.mounted_at;
  return status;
}

// ---- names and attributes -----------------------------------------------------------------------

using AttributesPtr = std::shared_ptr<const ScanAttributes>;

/// Calls send(request, attributes, error) now, or when the attributes are known.
template <class Send>
void with_attributes(Service& service, fuse_req_t request, const ScanNodePtr& node, Send send) {
  if (auto known = service.shelf.attributes(node); known != nullptr) {
    return send(request, std::move(known), 0);
  }
  auto say_and_send = [send, node](fuse_req_t parked, AttributesPtr attributes, int error) {
    if (error == ETIMEDOUT) {
      spdlog::error("{}: its disks did not tell its size in time; I/O error",
                    escaped(node->name()));
      error = EIO;
    }
    send(parked, std::move(attributes), error);
  };
  auto* parked = ParkedFor<AttributesPtr>::park_new(request, service.queue, say_and_send);
  service.shelf.want_attributes(node, [parked](AttributesPtr attributes) {
    const int error = attributes == nullptr ? ENODEV : 0;
    parked->deliver(std::move(attributes), error);
  });
}

/// Calls go_on(request) when the modules have been looked at, or when that takes too long.
template <class GoOn>
void after_a_look(Service& service, fuse_req_t request, GoOn go_on) {
  auto send = [go_on](fuse_req_t parked, bool /*value*/, int /*error*/) mutable { go_on(parked); };
  auto* parked = ParkedFor<bool>::park_new(request, service.look_queue, std::move(send));
  service.rescan.want([parked] { parked->deliver(true, 0); });
}

/// How long the kernel may remember what it was told of `node`: scans do not change, but for those
/// that may still be recorded.
double memory_of(const ScanNode& node) {
  return node.is_settled() ? kForeverSeconds : kBrieflySeconds;
}

/// Answers from memory.
void reply_entry(Service& service, fuse_req_t request, const std::string& name) {
  const auto node = service.tree.enter(name);
  if (node == nullptr) {
    fuse_entry_param nothing{};
    nothing.entry_timeout = kBrieflySeconds;
    fuse_reply_entry(request, &nothing);
    return;
  }
  auto send = [&service, node](fuse_req_t parked, const AttributesPtr& attributes, int error) {
    if (error == 0) {
      fuse_entry_param entry{};
      entry.ino = attributes->status.st_ino;
      entry.attr = attributes->status;
      entry.attr_timeout = entry.entry_timeout = memory_of(*node);
      if (fuse_reply_entry(parked, &entry) == 0) return;
    } else {
      fuse_reply_err(parked, error);
    }
    service.tree.forget(node->inode(), 1);
  };
  with_attributes(service, request, node, std::move(send));
}

void lookup(Service& service, fuse_req_t request, fuse_ino_t parent, const char* name) {
  if (info_lookup(service, request, parent, name)) return;
  if (parent != Tree::kRootInode) {
    fuse_reply_err(request, ENOENT);
    return;
  }
  const auto node = service.tree.lookup(name);
  if ((node != nullptr && node->is_settled()) || !service.rescan.is_due(name)) {
    return reply_entry(service, request, name);
  }
  auto go_on = [&service, wanted = std::string(name)](fuse_req_t parked) {
    reply_entry(service, parked, wanted);
  };
  after_a_look(service, request, std::move(go_on));
}

void forget(Service& service, fuse_req_t request, fuse_ino_t inode, std::uint64_t times) {
  service.tree.forget(inode, times);
  fuse_reply_none(request);
}

void getattr(Service& service, fuse_req_t request, fuse_ino_t inode, fuse_file_info* /*file*/) {
  if (inode == Tree::kRootInode) {
    const struct stat status = root_status(service);
    fuse_reply_attr(request, &status, kBrieflySeconds);
    return;
  }
  if (is_info(inode)) return info_getattr(service, request, inode);
  const auto node = service.tree.by_inode(inode);
  if (node == nullptr) {
    fuse_reply_err(request, ENOENT);
    return;
  }
  with_attributes(service, request, node,
                  [node](fuse_req_t parked, const AttributesPtr& attributes, int error) {
                    if (error != 0) {
                      fuse_reply_err(parked, error);
                    } else {
                      fuse_reply_attr(parked, &attributes->status, memory_of(*node));
                    }
                  });
}

/// Answers a request for `text` by a caller that has room for `room` bytes; 0 asks for the size.
void reply_text(fuse_req_t request, std::string_view text, std::size_t room) {
  if (room == 0) {
    fuse_reply_xattr(request, text.size());
  } else if (text.size() > room) {
    fuse_reply_err(request, ERANGE);
  } else {
    fuse_reply_buf(request, text.data(), text.size());
  }
}

void getxattr(Service& service, fuse_req_t request, fuse_ino_t inode, const char* name,
              std::size_t room) {
  const auto node = service.tree.by_inode(inode);
  const auto attributes = node != nullptr ? service.shelf.attributes(node) : nullptr;
  if (attributes != nullptr) {
    for (const auto& [key, value] : attributes->xattrs) {
      if (key == name) return reply_text(request, value, room);
    }
  }
  fuse_reply_err(request, ENODATA);
}

void listxattr(Service& service, fuse_req_t request, fuse_ino_t inode, std::size_t room) {
  const auto node = service.tree.by_inode(inode);
  const auto attributes = node != nullptr ? service.shelf.attributes(node) : nullptr;
  std::string names;
  if (attributes != nullptr) {
    for (const auto& [key, value] : attributes->xattrs) names += key + '\0';
  }
  reply_text(request, names, room);
}

void statfs(Service& service, fuse_req_t request, fuse_ino_t /*inode*/) {
  constexpr unsigned kUnit = 4096;
  std::uint64_t bytes = 0;
  const Listing listing = service.tree.listing();
  for (const auto& node : *listing) bytes += node->facts().fragment_bytes();
  struct statvfs status {};
  status.f_bsize = kRequestBytes;
  status.f_frsize = kUnit;
  status.f_blocks = bytes / kUnit;
  status.f_files = listing->size() + 1;
  status.f_namemax = NAME_MAX;
  fuse_reply_statfs(request, &status);
}

// ---- the directory ------------------------------------------------------------------------------

void opendir(Service& service, fuse_req_t request, fuse_ino_t inode, fuse_file_info* file) {
  if (inode != Tree::kRootInode && inode != kInfoDirectoryInode) {
    fuse_reply_err(request, ENOTDIR);
    return;
  }
  auto go_on = [&service, info = *file](fuse_req_t parked) mutable {
    info.fh = service.open_directories.add(service.tree.listing());
    const std::uint64_t number = info.fh;
    if (fuse_reply_open(parked, &info) != 0) service.open_directories.remove(number);
  };
  if (inode == Tree::kRootInode && service.rescan.is_due("")) {
    after_a_look(service, request, std::move(go_on));
  } else {
    go_on(request);
  }
}

/// Entries from `offset` on, which counts entries: 0 and 1 are "." and "..". Each open directory
/// has its own listing, so that offsets stay true when scans come and go; rewinding renews it.
void readdir(Service& service, fuse_req_t request, fuse_ino_t inode, std::size_t room, off_t offset,
             fuse_file_info* file) {
  if (inode == kInfoDirectoryInode) return info_readdir(request, room, offset);
  if (offset == 0) service.open_directories.replace(file->fh, service.tree.listing());
  const Listing listing = service.open_directories.find(file->fh);
  if (listing == nullptr || offset < 0) {
    fuse_reply_err(request, EBADF);
    return;
  }
  std::vector<char> buffer(room);
  std::size_t used = 0;
  for (auto i = static_cast<std::size_t>(offset); i < listing->size() + 2; ++i) {
    struct stat status {};
    status.st_ino = i < 2 ? Tree::kRootInode : (*listing)[i - 2]->inode();
    status.st_mode = i < 2 ? S_IFDIR : S_IFREG;
    const std::string name = i == 0 ? "." : i == 1 ? ".." : (*listing)[i - 2]->name();
    const std::size_t length = fuse_add_direntry(request, buffer.data() + used, room - used,
                                                 name.c_str(), &status, static_cast<off_t>(i) + 1);
    if (length > room - used) break;
    used += length;
  }
  fuse_reply_buf(request, buffer.data(), used);
}

void releasedir(Service& service, fuse_req_t request, fuse_ino_t /*inode*/, fuse_file_info* file) {
  service.open_directories.remove(file->fh);
  fuse_reply_err(request, 0);
}

// ---- scans --------------------------------------------------------------------------------------

using FilesPtr = std::shared_ptr<const OpenFiles>;

/// Answers an open(2) with a new OpenScan over `files`.
void finish_open(Service& service, fuse_req_t request, fuse_file_info file, const ScanNodePtr& node,
                 const FilesPtr& files) {
  std::shared_ptr<OpenScan> scan;
  try {
    scan = std::make_shared<OpenScan>(*service.engine, service.statistics, node, files);
    file.fh = service.open_scans.add(scan);
  } catch (const std::exception& exception) {
    spdlog::error("{}: cannot open: {}", escaped(node->name()), exception.what());
    fuse_reply_err(request, EIO);
    return;
  }
  // Direct: replies go straight into the reader's pages. Scans never change under their inode
  // number, so pages that the kernel has may be kept.
  file.direct_io = service.options.kernel_cache ? 0 : 1;
  file.keep_cache = service.options.kernel_cache ? 1 : 0;
  file.noflush = 1;
  // A reader that was killed while it waited will never close what it did not get.
  if (fuse_reply_open(request, &file) != 0) service.open_scans.remove(file.fh);
}

/// Answers an open(2) of a scan that is not what it was, after a look at the modules: `error`, or
/// ESTALE when they say something else now, upon which the kernel asks for the name once more.
void reply_failed_open(Service& service, fuse_req_t request, const ScanNodePtr& node, int error) {
  auto go_on = [&service, node, error](fuse_req_t parked) {
    fuse_reply_err(parked, service.tree.is_listed(node) ? error : ESTALE);
  };
  const bool look = error == ESTALE || service.rescan.is_due(node->name());
  if (look && service.tree.is_listed(node)) {
    after_a_look(service, request, go_on);
  } else {
    go_on(request);
  }
}

void open(Service& service, fuse_req_t request, fuse_ino_t inode, fuse_file_info* file) {
  if (is_info(inode)) return info_open(service, request, inode, *file);
  const auto node = service.tree.by_inode(inode);
  const auto attributes = node != nullptr ? service.shelf.attributes(node) : nullptr;
  if (node == nullptr || (file->flags & O_ACCMODE) != O_RDONLY || (file->flags & O_TRUNC) != 0) {
    fuse_reply_err(request, node == nullptr ? ENOENT : EROFS);
    return;
  }
  if (!service.tree.is_listed(node)) return reply_failed_open(service, request, node, ESTALE);
  if (attributes != nullptr && !attributes->readable) {
    // The log has said which fragments could not be opened.
    return reply_failed_open(service, request, node, EIO);
  }
  if (const auto files = service.shelf.files(node); files != nullptr) {
    return finish_open(service, request, *file, node, files);
  }
  auto send = [&service, node, info = *file](fuse_req_t parked, const FilesPtr& files, int error) {
    if (error == ETIMEDOUT) {
      spdlog::error("{}: its files could not be opened in time; I/O error", escaped(node->name()));
      error = EIO;
    }
    if (error == ESTALE) {
      reply_failed_open(service, parked, node, ESTALE);
    } else if (error != 0) {
      fuse_reply_err(parked, error);
    } else {
      finish_open(service, parked, info, node, files);
    }
  };
  auto* parked = ParkedFor<FilesPtr>::park_new(request, service.queue, std::move(send));
  service.shelf.want_files(
      node, [parked](FilesPtr files, int error) { parked->deliver(std::move(files), error); });
}

void read(Service& service, fuse_req_t request, fuse_ino_t inode, std::size_t length, off_t offset,
          fuse_file_info* file) {
  if (is_info(inode)) return info_read(service, request, *file, length, offset);
  const auto scan = service.open_scans.find(file->fh);
  if (scan == nullptr || offset < 0) {
    fuse_reply_err(request, EBADF);
    return;
  }
  const ScanOffset begin(static_cast<std::uint64_t>(offset));
  if (length == 0 || begin.value >= scan->size_bytes()) {
    fuse_reply_buf(request, nullptr, 0);
    return;
  }
  service.reads.take().start(request, service.queue, scan, begin, length);
}

void release(Service& service, fuse_req_t request, fuse_ino_t inode, fuse_file_info* file) {
  if (is_info(inode)) {
    service.open_texts.remove(file->fh);
  } else {
    service.open_scans.remove(file->fh);
  }
  fuse_reply_err(request, 0);
}

// ---- the edge to C ------------------------------------------------------------------------------

void init(void* user_data, fuse_conn_info* connection) {
  auto& service = *static_cast<Service*>(user_data);
  constexpr unsigned kBackground = 64;
  // Replies come from our own buffers by writev: a pipe in between would only cost.
  connection->want &=
      ~static_cast<unsigned>(FUSE_CAP_SPLICE_READ | FUSE_CAP_SPLICE_WRITE | FUSE_CAP_SPLICE_MOVE);
  connection->max_background = kBackground;
  connection->congestion_threshold = kBackground * 3 / 4;
  if (service.options.max_read) connection->max_read = *service.options.max_read;
  try {
    const unsigned read_ahead_bytes = service.on_init ? service.on_init() : 0;
    if (read_ahead_bytes != 0) connection->max_readahead = read_ahead_bytes;
  } catch (const std::exception& exception) {
    spdlog::error("cannot say that the mount serves: {}", exception.what());
  }
}

/// Calls `operation` for libfuse; what it throws becomes EIO. An operation throws, if at all,
/// before it has answered or parked its request.
template <auto operation, class... Args>
void guarded(fuse_req_t request, Args... args) {
  try {
    operation(*static_cast<Service*>(fuse_req_userdata(request)), request, args...);
  } catch (const std::exception& exception) {
    spdlog::error("a request failed: {}", exception.what());
    fuse_reply_err(request, EIO);
  }
}

/// Anything that writes: the mount is read-only, also when root has remounted it otherwise.
template <class... Args>
void refuse(fuse_req_t request, Args... /*args*/) {
  fuse_reply_err(request, EROFS);
}

}  // namespace

fuse_lowlevel_ops fuse_operations() {
  fuse_lowlevel_ops operations{};
  operations.init = &init;
  operations.lookup = &guarded<&lookup>;
  operations.forget = &guarded<&forget>;
  operations.getattr = &guarded<&getattr>;
  operations.getxattr = &guarded<&getxattr>;
  operations.listxattr = &guarded<&listxattr>;
  operations.statfs = &guarded<&statfs>;
  operations.opendir = &guarded<&opendir>;
  operations.readdir = &guarded<&readdir>;
  operations.releasedir = &guarded<&releasedir>;
  operations.open = &guarded<&open>;
  operations.read = &guarded<&read>;
  operations.release = &guarded<&release>;
  operations.setattr = &refuse;
  operations.mknod = &refuse;
  operations.mkdir = &refuse;
  operations.unlink = &refuse;
  operations.rmdir = &refuse;
  operations.symlink = &refuse;
  operations.rename = &refuse;
  operations.link = &refuse;
  operations.write = &refuse;
  operations.create = &refuse;
  operations.setxattr = &refuse;
  operations.removexattr = &refuse;
  operations.fallocate = &refuse;
  return operations;
}

}  // namespace mark6
