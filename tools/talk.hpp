// SPDX-License-Identifier: MIT
// What subcommands say on stderr: errors always, more as -q and -v have it.
#pragma once

#include <string>

#include "common/base/environment.hpp"

namespace mark6 {

class Talk {
 public:
  /// Lines begin with `program`: "mark6 list: ...".
  Talk(int fd, std::string program, bool quiet, bool verbose)
      : fd_(fd), program_(std::move(program)), quiet_(quiet), verbose_(verbose) {}
  void error(const std::string& line) const { say(line); }
  void info(const std::string& line) const {
    if (!quiet_) say(line);
  }
  void detail(const std::string& line) const {
    if (verbose_) say(line);
  }

 private:
  // Nowhere is left to report that stderr cannot be written.
  void say(const std::string& line) const {
    static_cast<void>(write_text(fd_, program_ + ": " + line + "\n"));
  }
  int fd_;
  std::string program_;
  bool quiet_;
  bool verbose_;
};

}  // namespace mark6
