// SPDX-License-Identifier: MIT
#include "common/account/system_files.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstdlib>
#include <filesystem>
#include <memory>

#include "common/os/unique_fd.hpp"

namespace mark6 {
namespace {

constexpr std::size_t kMostNames = 1024;
constexpr std::string_view kSpaces(" \t\r\n\0", 5);

std::string_view trimmed(std::string_view text) {
  const auto first = text.find_first_not_of(kSpaces);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(kSpaces) - first + 1);
}

std::optional<std::string> real_path(const std::string& path) {
  const std::unique_ptr<char, decltype(&std::free)> real(::realpath(path.c_str(), nullptr),
                                                         &std::free);
  if (!real) return std::nullopt;
  return std::string(real.get());
}

}  // namespace

Result<DeviceNumber> device_of_path(const std::string& path) {
  struct stat status {};
  if (::stat(path.c_str(), &status) != 0) return system_failure(path, "stat", errno);
  return device_number(S_ISBLK(status.st_mode) ? status.st_rdev : status.st_dev);
}

std::optional<std::string> read_bounded(const std::string& path, std::size_t limit_bytes) {
  // O_NONBLOCK: a FIFO in a tree that is not the kernel's must not hold us up.
  const UniqueFd fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK));
  struct stat status {};
  if (!fd.valid() || ::fstat(fd.get(), &status) != 0 || !S_ISREG(status.st_mode)) {
    return std::nullopt;
  }
  constexpr std::size_t kStep = 16384;
  std::string text;
  while (text.size() < limit_bytes) {
    const std::size_t had = text.size();
    text.resize(std::min(limit_bytes, had + kStep));
    const ssize_t n = ::read(fd.get(), text.data() + had, text.size() - had);
    text.resize(had + static_cast<std::size_t>(std::max<ssize_t>(n, 0)));
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return std::nullopt;
    if (n == 0) break;
  }
  return text;
}

std::optional<std::string> resolve_inside(const std::string& root, const std::string& path) {
  const auto real_root = real_path(root);
  auto real = real_path(path);
  if (!real_root || !real) return std::nullopt;
  const std::string prefix = *real_root == "/" ? "/" : *real_root + "/";
  if (*real != *real_root && !real->starts_with(prefix)) return std::nullopt;
  return real;
}

SysTree::SysTree(const std::string& root) : root_(real_path(root).value_or(root)) {}

std::optional<std::string> SysTree::resolve(const std::string& path) const {
  const bool below_root = path == root_ || path.starts_with(root_ + "/");
  return resolve_inside(root_, below_root ? path : root_ + "/" + path);
}

std::string SysTree::relative(const std::string& real_path) const {
  return real_path.starts_with(root_ + "/") ? real_path.substr(root_.size() + 1) : std::string();
}

std::optional<std::string> SysTree::bytes(const std::string& path, std::size_t limit_bytes) const {
  const auto real = resolve(path);
  return real ? read_bounded(*real, limit_bytes) : std::nullopt;
}

std::optional<std::string> SysTree::text(const std::string& path, std::size_t limit_bytes) const {
  const auto all = bytes(path, limit_bytes + 1);
  if (!all) return std::nullopt;
  const auto line = std::string_view(*all).substr(0, all->find('\n'));
  if (line.size() > limit_bytes) return std::nullopt;
  const auto value = trimmed(line);
  if (value.empty()) return std::nullopt;
  return std::string(value);
}

std::optional<std::uint64_t> SysTree::number(const std::string& path) const {
  const auto digits = text(path);
  if (!digits) return std::nullopt;
  std::uint64_t value = 0;
  const char* const end = digits->data() + digits->size();
  const auto parsed = std::from_chars(digits->data(), end, value);
  if (parsed.ec != std::errc() || parsed.ptr != end) return std::nullopt;
  return value;
}

std::optional<std::string> SysTree::name(const std::string& path) const {
  const auto value = text(path);
  return value ? printable_name(*value) : std::nullopt;
}

std::optional<DeviceNumber> SysTree::device(const std::string& directory) const {
  const auto value = text(directory + "/dev");
  return value ? parse_device_number(*value) : std::nullopt;
}

std::vector<std::string> SysTree::names_in(const std::string& directory) const {
  std::vector<std::string> names;
  const auto real = resolve(directory);
  if (!real) return names;
  std::error_code error;
  for (std::filesystem::directory_iterator it(*real, error), end;
       !error && it != end && names.size() < kMostNames; it.increment(error)) {
    names.push_back(it->path().filename().string());
  }
  std::sort(names.begin(), names.end());
  return names;
}

std::optional<std::string> printable_name(std::string_view text) {
  std::string name(trimmed(text));
  if (name.empty()) return std::nullopt;
  for (char& c : name) {
    if (c < 0x20 || c > 0x7e) c = '?';
  }
  return name;
}

}  // namespace mark6
