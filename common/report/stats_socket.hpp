// SPDX-License-Identifier: MIT
// The live query: every program that streams listens on a socket with a name that can be found
// without configuration, and answers each connection with one snapshot as JSON. The name is
// abstract ("\0mark6.stats.UID.PID"): no file is made, and nothing stays behind. Only the same user
// and root get an answer. The asking side is running_programs.hpp.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "common/base/error.hpp"
#include "common/os/unique_fd.hpp"

namespace mark6 {

/// What a socket's name begins with, behind the byte 0.
inline constexpr std::string_view kStatsSocketPrefix = "mark6.stats.";

/// "mark6.stats.UID.PID".
std::string stats_socket_name(uid_t uid, std::int64_t pid);

class StatsSocket {
 public:
  /// Listens under the name of this process. Errors: kIo (the name is taken, no sockets here).
  static Result<StatsSocket> listen(const std::string& name);

  [[nodiscard]] int fd() const { return fd_.get(); }
  /// Takes one connection that waits and sends it `text()`, for at most a second and until
  /// `stop_fd` becomes readable. Whoever is neither the same user nor root gets nothing.
  void answer(const std::function<std::string()>& text, int stop_fd) const;

 private:
  explicit StatsSocket(UniqueFd fd) : fd_(std::move(fd)) {}
  UniqueFd fd_;
};

}  // namespace mark6
