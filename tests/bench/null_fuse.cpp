// SPDX-License-Identifier: MIT
// The ceiling for mark6fs: a FUSE server of one file that has nothing to do. It answers every read
// from one buffer, with the mount options, worker threads and kind of reply that mark6fs has
// (fuse/session.cpp, fuse/operations.cpp: keep them alike), so that what is slower in mark6fs is
// its own work or the disks.
//
//   null_fuse BYTES MOUNTPOINT      serves MOUNTPOINT/null in the background, until it is unmounted
#include <fuse_lowlevel.h>
#include <sys/uio.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string_view>
#include <thread>

namespace {

constexpr std::size_t kRequestBytes = std::size_t{1} << 20;
constexpr std::size_t kBufferAlignment = std::size_t{2} << 20;
constexpr std::string_view kName = "null";
constexpr fuse_ino_t kFile = 2;
constexpr double kForeverSeconds = 86'400;

/// What there is to know while it runs; written before the threads start.
struct NullFile {
  off_t size_bytes = 0;
  char* buffer = nullptr;  ///< kRequestBytes, all written to: read by every worker
};

const NullFile& file_of(fuse_req_t request) {
  return *static_cast<const NullFile*>(fuse_req_userdata(request));
}

struct stat status_of(fuse_ino_t inode, const NullFile& file) {
  struct stat status {};
  status.st_ino = inode;
  status.st_mode = inode == kFile ? S_IFREG | 0444 : S_IFDIR | 0555;
  status.st_nlink = 1;
  status.st_size = inode == kFile ? file.size_bytes : 0;
  status.st_blksize = kRequestBytes;
  return status;
}

void init(void* /*user_data*/, fuse_conn_info* connection) {
  constexpr unsigned kBackground = 64;
  connection->want &=
      ~static_cast<unsigned>(FUSE_CAP_SPLICE_READ | FUSE_CAP_SPLICE_WRITE | FUSE_CAP_SPLICE_MOVE);
  connection->max_background = kBackground;
  connection->congestion_threshold = kBackground * 3 / 4;
}

void lookup(fuse_req_t request, fuse_ino_t parent, const char* name) {
  if (parent != FUSE_ROOT_ID || name != kName) {
    fuse_reply_err(request, ENOENT);
    return;
  }
  fuse_entry_param entry{};
  entry.ino = kFile;
  entry.attr = status_of(kFile, file_of(request));
  entry.attr_timeout = entry.entry_timeout = kForeverSeconds;
  fuse_reply_entry(request, &entry);
}

void getattr(fuse_req_t request, fuse_ino_t inode, fuse_file_info* /*info*/) {
  const struct stat status = status_of(inode, file_of(request));
  fuse_reply_attr(request, &status, kForeverSeconds);
}

void open(fuse_req_t request, fuse_ino_t /*inode*/, fuse_file_info* info) {
  info->direct_io = 1;
  info->noflush = 1;
  fuse_reply_open(request, info);
}

void read(fuse_req_t request, fuse_ino_t /*inode*/, std::size_t length, off_t offset,
          fuse_file_info* /*info*/) {
  const NullFile& file = file_of(request);
  const auto left = static_cast<std::size_t>(std::max<off_t>(0, file.size_bytes - offset));
  const iovec part{file.buffer, std::min({length, left, kRequestBytes})};
  fuse_reply_iov(request, &part, part.iov_len == 0 ? 0 : 1);
}

/// Mounts and serves; the command line's process ends when the kernel has the mount.
int serve(NullFile& file, const char* mount_point) {
  fuse_args args = FUSE_ARGS_INIT(0, nullptr);
  fuse_opt_add_arg(&args, "null_fuse");
  fuse_opt_add_arg(&args, "-oro,nosuid,nodev,noexec,default_permissions");
  fuse_opt_add_arg(&args, "-ofsname=null_fuse,subtype=null_fuse");
  fuse_lowlevel_ops operations{};
  operations.init = &init;
  operations.lookup = &lookup;
  operations.getattr = &getattr;
  operations.open = &open;
  operations.read = &read;
  fuse_session* session = fuse_session_new(&args, &operations, sizeof operations, &file);
  fuse_opt_free_args(&args);
  if (session == nullptr || fuse_session_mount(session, mount_point) != 0) return 1;
  fuse_daemonize(0);

  const unsigned workers = std::min(4U, 2 * std::max(1U, std::thread::hardware_concurrency()));
  fuse_loop_config* config = fuse_loop_cfg_create();
  fuse_loop_cfg_set_clone_fd(config, 0);
  fuse_loop_cfg_set_max_threads(config, workers);
  fuse_loop_cfg_set_idle_threads(config, workers);
  const int failed = fuse_session_loop_mt(session, config);
  fuse_loop_cfg_destroy(config);
  fuse_session_unmount(session);
  fuse_session_destroy(session);
  return failed == 0 ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  NullFile file;
  const std::string_view size = argc == 3 ? argv[1] : "";
  const auto [end, error] =
      std::from_chars(size.data(), size.data() + size.size(), file.size_bytes);
  if (size.empty() || error != std::errc() || end != size.data() + size.size()) {
    std::fputs("usage: null_fuse BYTES MOUNTPOINT\n", stderr);
    return 2;
  }
  file.buffer = static_cast<char*>(std::aligned_alloc(kBufferAlignment, kBufferAlignment));
  if (file.buffer == nullptr) return 1;
  std::memset(file.buffer, 'm', kRequestBytes);
  const int code = serve(file, argv[2]);
  std::free(file.buffer);
  return code;
}
