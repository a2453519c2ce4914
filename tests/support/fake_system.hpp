// SPDX-License-Identifier: MIT
// A machine made of files: the trees of /sys, /proc, /run and /dev below a temporary directory,
// laid out as the kernel does it, for code that takes SystemRoots.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <string_view>

#include "common/account/system_files.hpp"
#include "tests/support/temporary.hpp"

namespace mark6::test {

class FakeSystem {
 public:
  FakeSystem() {
    for (const char* name : {"sys/dev/block", "sys/class/block", "proc/self", "run", "dev"}) {
      std::filesystem::create_directories(dir_.path() / name);
    }
  }

  /// A block device whose directory is sys/devices/`path`, MAJ:MIN `number`.
  void block_device(const std::string& path, const std::string& number) {
    const auto name = path.substr(path.rfind('/') + 1);
    attribute(path + "/dev", number + "\n");
    link("sys/dev/block/" + number, "../../devices/" + path);
    link("sys/class/block/" + name, "../../devices/" + path);
  }
  /// An attribute below sys/devices.
  void attribute(const std::string& path, std::string_view text) {
    dir_.write("sys/devices/" + path, text);
  }
  void write(const std::string& path, std::string_view text) { dir_.write(path, text); }
  void link(const std::string& path, const std::string& target) {
    std::filesystem::create_symlink(target, dir_.file(path));
  }
  void mountinfo(std::string_view text) { write("proc/self/mountinfo", text); }
  /// What stat says of `path`.
  void stat_says(const std::string& path, DeviceNumber number) { stat_[path] = number; }

  [[nodiscard]] std::string path(const std::string& name) const { return dir_.file(name); }
  /// Valid as long as this object.
  [[nodiscard]] SystemRoots roots() const {
    SystemRoots roots;
    roots.sys = dir_.path() / "sys";
    roots.proc = dir_.path() / "proc";
    roots.run = dir_.path() / "run";
    roots.dev = dir_.path() / "dev";
    roots.device_of = [this](const std::string& path) -> Result<DeviceNumber> {
      const auto it = stat_.find(path);
      if (it == stat_.end()) return failure(ErrorCode::kNotFound, path, "is not there");
      return it->second;
    };
    return roots;
  }

 private:
  TemporaryDirectory dir_;
  std::map<std::string, DeviceNumber> stat_;
};

}  // namespace mark6::test
