// SPDX-License-Identifier: MIT
// MOUNTPOINT/.mark6: text files that tell how the mount and its disks are. The directory is found
// by its name but not listed, so that no tool that walks the mount takes them for scans. What a
// file says is made when it is opened; its size is told as 0, because nobody knows it before, and
// it is read past the page cache, so that readers go on to its end all the same. All from memory:
// no disk is asked.
#pragma once

#include <fuse_lowlevel.h>
#include <sys/types.h>

#include <cstddef>
#include <cstdint>

#include "fuse/service.hpp"

namespace mark6 {

inline constexpr std::uint64_t kInfoDirectoryInode = 2;
inline constexpr const char* kInfoDirectoryName = ".mark6";

/// Whether the inode is the directory or one of its files.
bool is_info(fuse_ino_t inode);

/// Answers `request` when the name is the directory, or is looked for in it; else returns false.
bool info_lookup(const Service& service, fuse_req_t request, fuse_ino_t parent, const char* name);
void info_getattr(const Service& service, fuse_req_t request, fuse_ino_t inode);
void info_readdir(fuse_req_t request, std::size_t room, off_t offset);
void info_open(Service& service, fuse_req_t request, fuse_ino_t inode, fuse_file_info file);
void info_read(const Service& service, fuse_req_t request, const fuse_file_info& file,
               std::size_t length, off_t offset);

}  // namespace mark6
