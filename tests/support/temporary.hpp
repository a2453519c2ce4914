// SPDX-License-Identifier: MIT
// A private directory that is gone when the test is over.
#pragma once

#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <string>
#include <string_view>
#include <system_error>

namespace mark6::test {

/// The bytes of a file; empty when it cannot be read.
inline std::string content_of(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::error_code error;
  const auto size = std::filesystem::file_size(path, error);
  std::string bytes(error ? 0 : static_cast<std::size_t>(size), '\0');
  file.read(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  bytes.resize(static_cast<std::size_t>(file.gcount()));
  return bytes;
}

class TemporaryDirectory {
 public:
  /// Below TMPDIR, or /tmp. A disk file system is wanted where O_DIRECT is tested.
  TemporaryDirectory() {
    std::string name = (std::filesystem::temp_directory_path() / "mark6-test-XXXXXX").string();
    if (::mkdtemp(name.data()) == nullptr) throw std::runtime_error("cannot make " + name);
    path_ = name;
  }
  ~TemporaryDirectory() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  TemporaryDirectory(const TemporaryDirectory&) = delete;
  TemporaryDirectory& operator=(const TemporaryDirectory&) = delete;

  [[nodiscard]] const std::filesystem::path& path() const { return path_; }
  /// Path of `name` below the directory; folders on the way are made.
  [[nodiscard]] std::string file(const std::string& name) const {
    const auto full = path_ / name;
    std::filesystem::create_directories(full.parent_path());
    return full.string();
  }
  /// Writes `bytes` to `name` below the directory and returns its path.
  std::string write(const std::string& name, std::string_view bytes) const {
    const std::string full = file(name);
    std::ofstream(full, std::ios::binary)
        .write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
    return full;
  }

 private:
  std::filesystem::path path_;
};

}  // namespace mark6::test
