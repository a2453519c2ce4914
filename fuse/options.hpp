// SPDX-License-Identifier: MIT
// The command line of mark6fs, as values. Users type it, fstab and mount.fuse3 call it ("SOURCE
// MOUNTPOINT -o OPTS"), shells expand its globs: every order of options and names is accepted.
// Pure: nothing is looked up on disk here.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "common/base/error.hpp"
#include "common/base/log.hpp"
#include "common/catalog/scan_opener.hpp"
#include "common/report/stats_exporter.hpp"

namespace mark6 {

/// What the user asked of mark6fs.
struct FuseOptions {
  std::vector<std::string> sources;  ///< globs of disk directories; empty: the default root
  std::string mount_point;
  std::optional<std::string> meta_root;
  std::optional<std::uint64_t> memory_bytes;  ///< budget of the reader; absent: by the disks
  std::chrono::milliseconds timeout{30'000};  ///< how long a request waits for a disk
  std::optional<std::uint32_t> max_read;      ///< largest read request of the kernel, for tests
  std::string fs_name;                        ///< "source" in /proc/mounts
  std::string subtype = "mark6fs";
  IndexBy index_by = IndexBy::kProof;  ///< index=walk: all block headers are read
  bool kernel_cache = false;           ///< cache=kernel: reads go through the page cache
  bool allow_other = false;
  bool allow_root = false;
  bool auto_unmount = false;
  bool replace = false;  ///< a mark6fs of this user that is mounted there makes way
  bool foreground = false;
  bool debug = false;  ///< libfuse prints every request; implies foreground
  bool asked_for_rw = false;
  StatsExportOptions stats;  ///< stats=, prometheus=, stats_interval=
  Verbosity verbosity = Verbosity::kNormal;
  bool show_help = false;
  bool show_version = false;
};

/// The options in `args` (without the program's name). Errors: kUsage, naming what is wrong.
Result<FuseOptions> parse_fuse_options(const std::vector<std::string>& args);

/// Applies one -o word ("timeout=30", "allow_other", "noatime"). Errors: kUsage.
Result<void> apply_mount_word(FuseOptions& options, std::string_view word);

/// The words of a comma list; "\," is a comma and "\\" a backslash within a word. Empty words are
/// left out.
std::vector<std::string> split_mount_words(std::string_view list);

/// One screen of help.
std::string fuse_help();

}  // namespace mark6
