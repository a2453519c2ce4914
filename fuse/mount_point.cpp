// SPDX-License-Identifier: MIT
#include "fuse/mount_point.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <spawn.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <climits>
#include <csignal>
#include <cstdlib>

#include "common/base/environment.hpp"
#include "common/os/unique_fd.hpp"

namespace mark6 {
namespace {

constexpr const char* kFusermount = "fusermount3";

/// Files below /proc have no size: read until the end.
std::string read_all(const char* path) {
  std::string text;
  const UniqueFd fd(::open(path, O_RDONLY | O_CLOEXEC));
  std::array<char, 16384> part{};
  while (fd.valid()) {
    const ssize_t got = ::read(fd.get(), part.data(), part.size());
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) break;
    text.append(part.data(), static_cast<std::size_t>(got));
  }
  return text;
}

/// "\040" and the like as the characters they stand for.
std::string unescape_octal(std::string_view text) {
  const auto is_octal = [](char c) { return c >= '0' && c <= '7'; };
  std::string plain;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '\\' && i + 3 < text.size() && is_octal(text[i + 1]) && is_octal(text[i + 2]) &&
        is_octal(text[i + 3])) {
      plain += static_cast<char>((text[i + 1] - '0') * 64 + (text[i + 2] - '0') * 8 +
                                 (text[i + 3] - '0'));
      i += 3;
    } else {
      plain += text[i];
    }
  }
  return plain;
}

std::vector<std::string_view> split(std::string_view text, char separator) {
  std::vector<std::string_view> words;
  while (!text.empty()) {
    const auto end = std::min(text.find(separator), text.size());
    if (end > 0) words.push_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return words;
}

std::string real_path(const std::string& path) {
  std::array<char, PATH_MAX> resolved{};
  return ::realpath(path.c_str(), resolved.data()) != nullptr ? resolved.data() : path;
}

/// Whether fusermount3 is where libfuse looks for it: its own place, then PATH.
bool has_fusermount() {
  if (::access("/usr/bin/fusermount3", X_OK) == 0) return true;
  const char* path = std::getenv("PATH");  // NOLINT(concurrency-mt-unsafe): nobody sets
  const auto directories = split(path == nullptr ? "" : path, ':');
  return std::any_of(directories.begin(), directories.end(), [](std::string_view directory) {
    return ::access((std::string(directory) + "/" + kFusermount).c_str(), X_OK) == 0;
  });
}

/// Runs "fusermount3 -u -z -- PATH"; true when it says that it worked.
bool run_fusermount(const std::string& path) {
  std::array<std::string, 5> words = {kFusermount, "-u", "-z", "--", path};
  std::array<char*, 6> arguments{};
  std::transform(words.begin(), words.end(), arguments.begin(),
                 [](std::string& word) { return word.data(); });
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  sigset_t none;
  sigemptyset(&none);
  posix_spawnattr_setsigmask(&attributes, &none);  // ours blocks SIGTERM
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK);
  pid_t child = 0;
  const int failed =
      ::posix_spawnp(&child, kFusermount, nullptr, &attributes, arguments.data(), environ);
  posix_spawnattr_destroy(&attributes);
  if (failed != 0) return false;
  int status = 0;
  while (::waitpid(child, &status, 0) < 0) {
    if (errno != EINTR) return false;
  }
  return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

constexpr const char* kType = "fuse.mark6fs";

/// "user_id=1000" among the comma-separated words of a super block's options.
std::optional<unsigned> user_of(std::string_view options) {
  constexpr std::string_view kKey = "user_id=";
  for (const auto word : split(options, ',')) {
    unsigned user = 0;
    if (!word.starts_with(kKey)) continue;
    const auto digits = word.substr(kKey.size());
    const auto [rest, status] = std::from_chars(digits.data(), digits.data() + digits.size(), user);
    if (status == std::errc{}) return user;
  }
  return std::nullopt;
}

/// `path` as mountinfo spells it. A dead mount at its end cannot be asked, so what leads there is.
std::string mount_path(const std::string& path) {
  const auto end = path.find_last_not_of('/');
  if (end == std::string::npos) return "/";
  const auto slash = path.find_last_of('/', end);
  const std::string name = path.substr(slash == std::string::npos ? 0 : slash + 1,
                                       slash == std::string::npos ? end + 1 : end - slash);
  struct stat link {};
  const bool is_plain = ::lstat(path.c_str(), &link) != 0 || !S_ISLNK(link.st_mode);
  if (!is_plain || name == "." || name == "..") return real_path(path);
  const std::string above = real_path(slash == std::string::npos ? "."
                                      : slash == 0               ? "/"
                                                                 : path.substr(0, slash));
  return above == "/" ? above + name : above + "/" + name;
}

Failure dead_mount(const std::string& path, const std::optional<MountEntry>& mount) {
  if (mount && mount->type == kType) {
    return failure(ErrorCode::kIo, path, "a dead mount of mark6fs (its process was killed)",
                   "a directory", fmt::format("use --replace or fusermount3 -u {}", path));
  }
  return failure(ErrorCode::kIo, path,
                 fmt::format("a dead mount, left by a file system that ended ({})",
                             mount ? mount->type : "of unknown type"),
                 "a directory", fmt::format("unmount it: fusermount3 -u {}", path));
}

/// Whether make_way() may take off `mount`, which is at `path`; with the reason where not.
Result<void> may_be_replaced(const MountEntry& mount, const std::string& path) {
  if (mount.type != kType) {
    return failure(ErrorCode::kUsage, path,
                   fmt::format("another file system is mounted there ({})", mount.type),
                   "a mark6fs to be replaced", "--replace takes off nothing else");
  }
  if (mount.user && *mount.user != ::geteuid()) {
    return failure(ErrorCode::kUsage, path,
                   fmt::format("the mark6fs there belongs to user {}", *mount.user), "one of yours",
                   "let its user or root unmount it");
  }
  return {};
}

}  // namespace

std::vector<MountEntry> parse_mountinfo(std::string_view text) {
  std::vector<MountEntry> entries;
  for (const auto line : split(text, '\n')) {
    // 36 35 98:0 /root /mount rw,noatime shared:1 - type source options   (proc(5))
    const auto words = split(line, ' ');
    const auto dash = std::find(words.begin() + std::min<std::ptrdiff_t>(6, std::ssize(words)),
                                words.end(), std::string_view("-"));
    if (words.end() - dash < 3) continue;
    entries.push_back(MountEntry{.device = std::string(words[2]),
                                 .mount_point = unescape_octal(words[4]),
                                 .type = std::string(dash[1]),
                                 .source = unescape_octal(dash[2]),
                                 .user = words.end() - dash > 3 ? user_of(dash[3]) : std::nullopt});
  }
  return entries;
}

std::optional<MountEntry> mounted_at(const std::string& mount_point) {
  const auto entries = parse_mountinfo(read_all("/proc/self/mountinfo"));
  const auto top = std::find_if(entries.rbegin(), entries.rend(), [&](const MountEntry& entry) {
    return entry.mount_point == mount_point;
  });
  return top == entries.rend() ? std::nullopt : std::optional(*top);
}

Result<std::string> check_mount_point(const std::string& path, bool replace) {
  const auto mounted = mounted_at(mount_path(path));
  if (replace && mounted) {
    if (const auto may = may_be_replaced(*mounted, path); !may) return Failure(may.error());
    return mounted->mount_point;
  }
  struct stat status {};
  if (::stat(path.c_str(), &status) != 0) {
    if (errno == ENOTCONN) return dead_mount(path, mounted);
    if (errno == ENOENT) {
      return failure(ErrorCode::kNotFound, path, "the mount point does not exist", "a directory",
                     fmt::format("make it: mkdir -p {}", path));
    }
    return system_failure(path, "look at the mount point", errno);
  }
  if (!S_ISDIR(status.st_mode)) {
    return failure(ErrorCode::kUsage, path, "the mount point is not a directory", "a directory",
                   "the last argument is where to mount, see mark6fs --help");
  }
  if (mounted && mounted->type == kType) {
    return failure(ErrorCode::kUsage, path, "a mark6fs is mounted there already", "",
                   fmt::format("use --replace, or unmount it first: fusermount3 -u {}", path));
  }
  return real_path(path);
}

Result<void> make_way(const std::string& mount_point) {
  while (const auto mounted = mounted_at(mount_point)) {
    if (!may_be_replaced(*mounted, mount_point))
      return {};  // it was there before the first mark6fs
    if (const auto detached = detach_mount(*mounted); !detached) return detached;
  }
  return {};
}

Result<void> check_fuse(const FuseOptions& options) {
  const UniqueFd device(::open("/dev/fuse", O_RDWR | O_CLOEXEC));
  if (!device.valid()) {
    const int error = errno;
    auto failed = system_failure("/dev/fuse", "open", error);
    failed.value().code = ErrorCode::kUnsupported;
    failed.value().advice = error == ENOENT || error == ENODEV || error == ENXIO
                                ? "load the module: modprobe fuse (a container: --device /dev/fuse)"
                                : "ask for the right to read and write it";
    return failed;
  }
  const bool is_root = ::geteuid() == 0;
  if ((!is_root || options.auto_unmount) && !has_fusermount()) {
    return failure(ErrorCode::kUnsupported, kFusermount, "not found",
                   "the program that mounts for ordinary users", "apt install fuse3");
  }
  if (!is_root && (options.allow_other || options.allow_root) &&
      !allows_user_allow_other(read_all("/etc/fuse.conf"))) {
    return failure(ErrorCode::kUnsupported, "/etc/fuse.conf",
                   "allow_other and allow_root are not permitted to ordinary users",
                   "a line user_allow_other", "let root add it, or mount without");
  }
  return {};
}

bool allows_user_allow_other(std::string_view fuse_conf) {
  const auto lines = split(fuse_conf, '\n');
  return std::any_of(lines.begin(), lines.end(), [](std::string_view line) {
    const auto begin = line.find_first_not_of(" \t\r");
    const auto end = line.find_last_not_of(" \t\r");
    return begin != std::string_view::npos &&
           line.substr(begin, end - begin + 1) == "user_allow_other";
  });
}

Result<void> check_outside(const std::string& mount_point,
                           const std::vector<std::string>& directories) {
  const std::string prefix = mount_point == "/" ? mount_point : mount_point + "/";
  for (const auto& directory : directories) {
    const std::string real = real_path(directory);
    if (real != mount_point && !real.starts_with(prefix)) continue;
    return failure(ErrorCode::kUsage, mount_point,
                   fmt::format("the mount would hide the disk {} that it shall serve", real),
                   "a mount point outside the modules",
                   "the last argument is where to mount, see mark6fs --help");
  }
  return {};
}

Result<void> detach_mount(const MountEntry& mount) {
  const auto now = mounted_at(mount.mount_point);
  if (!now || now->device != mount.device) return {};
  if (::umount2(mount.mount_point.c_str(), MNT_DETACH | UMOUNT_NOFOLLOW) == 0) return {};
  const int error = errno;
  if (run_fusermount(mount.mount_point)) return {};
  return system_failure(mount.mount_point, "unmount", error);
}

bool raise_read_ahead(const MountEntry& mount, unsigned bytes) {
  const std::string path = fmt::format("/sys/class/bdi/{}/read_ahead_kb", mount.device);
  const UniqueFd fd(::open(path.c_str(), O_WRONLY | O_CLOEXEC));
  return fd.valid() && write_text(fd.get(), std::to_string(bytes / 1024)).has_value();
}

}  // namespace mark6
