// SPDX-License-Identifier: MIT
// The files and directories that one run makes. They are written under hidden names (which no
// reader takes for a scan) and get their own names together, at the end; whatever is not kept is
// removed again, so that a failure or an interrupt leaves nothing half-made behind.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "common/base/error.hpp"
#include "common/os/unique_fd.hpp"

namespace mark6::synth {

/// What happens when a file of the name is there already.
enum class IfExists { kRefuse, kReplace };

class NewFiles {
 public:
  NewFiles() = default;
  /// Removes all that was made, unless keep() was called; a file that was replaced is not restored.
  ~NewFiles();
  NewFiles(const NewFiles&) = delete;
  NewFiles& operator=(const NewFiles&) = delete;

  /// Makes the directory `path` and those above it, as needed. Errors: kIo, kNoSpace.
  Result<void> make_directories(const std::string& path);

  /// Makes an empty file that will be called `path`; the descriptor is open for writing until
  /// publish(). Errors: kUsage (it exists and is not to be replaced, or is no regular file), kIo.
  Result<int> create(const std::string& path, IfExists if_exists);

  /// A file of this text, as create().
  Result<void> create_text(const std::string& path, std::string_view text, IfExists if_exists);

  /// Closes all files and gives them their names. Errors: as create().
  Result<void> publish();

  /// What was made is to stay.
  void keep() { kept_ = true; }

 private:
  struct File {
    std::string path;
    std::string hidden{};  ///< its name until it is published
    UniqueFd fd{};
    IfExists if_exists = IfExists::kRefuse;
    bool published = false;
    bool replaced = false;
  };
  std::vector<File> files_;
  std::vector<std::string> directories_;  ///< those we made, outer ones first
  bool kept_ = false;
};

/// Whether something of this name exists, even a dangling symbolic link.
bool exists(const std::string& path);

}  // namespace mark6::synth
