// SPDX-License-Identifier: MIT
// What the kernel and udev tell in /sys, /proc, /run and /dev, read with bounds: no file there can
// make us read for long, block or leave its tree. All roots can be injected, so that tests build
// machines of their own.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "common/account/device_number.hpp"
#include "common/base/error.hpp"

namespace mark6 {

/// Number of the device on which `path` lies, by stat; of the device itself where `path` is a block
/// device. Errors: kNotFound, kIo.
Result<DeviceNumber> device_of_path(const std::string& path);

/// Where the system's files are.
struct SystemRoots {
  std::string sys = "/sys";
  std::string proc = "/proc";
  std::string run = "/run";
  std::string dev = "/dev";
  /// Asked for the directory, and for files behind loop devices; tests say what stat cannot.
  std::function<Result<DeviceNumber>(const std::string& path)> device_of = device_of_path;
};

/// The first `limit_bytes` of a regular file, whatever size stat gives it (files in /proc have
/// none). Nothing when it cannot be opened or read, or is no regular file.
std::optional<std::string> read_bounded(const std::string& path, std::size_t limit_bytes);

/// The real path of `path`, symbolic links followed; nothing when it is not there, its links go in
/// circles, or it lies outside of `root`.
std::optional<std::string> resolve_inside(const std::string& root, const std::string& path);

/// The tree of /sys. Paths may begin with "/sys" (the root given) or be relative to it; whatever
/// their links lead to, only files inside of the root are read.
class SysTree {
 public:
  explicit SysTree(const std::string& root);

  /// The real path; nothing when it is not there or lies outside.
  [[nodiscard]] std::optional<std::string> resolve(const std::string& path) const;
  /// Real path without the root: "devices/pci0000:00/.../block/sdr".
  [[nodiscard]] std::string relative(const std::string& real_path) const;

  /// First line of an attribute, without the spaces around it; nothing when it is not there, empty,
  /// or longer than `limit_bytes` (what is that long is not what it should be).
  [[nodiscard]] std::optional<std::string> text(const std::string& path,
                                                std::size_t limit_bytes = 256) const;
  /// An attribute that is an unsigned decimal number and nothing else.
  [[nodiscard]] std::optional<std::uint64_t> number(const std::string& path) const;
  /// An attribute that firmware supplies (model, serial): see printable_name().
  [[nodiscard]] std::optional<std::string> name(const std::string& path) const;
  /// The attribute "dev" of a block device's directory.
  [[nodiscard]] std::optional<DeviceNumber> device(const std::string& directory) const;
  /// At most `limit_bytes` of a binary attribute.
  [[nodiscard]] std::optional<std::string> bytes(const std::string& path,
                                                 std::size_t limit_bytes) const;
  /// Names in a directory, sorted: at most 1024 of them.
  [[nodiscard]] std::vector<std::string> names_in(const std::string& directory) const;

 private:
  std::string root_;
};

/// `text` without spaces around it, bytes that are not printable ASCII as '?', so that it is safe
/// to print and to put into JSON; nothing if it is empty.
std::optional<std::string> printable_name(std::string_view text);

}  // namespace mark6
