// SPDX-License-Identifier: MIT
// What a program sees of the world: its three standard descriptors, environment variables and a
// stop token. `run(args, Environment&)` takes it, so that a whole program runs inside a unit test.
#pragma once

#include <functional>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>

#include "common/base/error.hpp"

namespace mark6 {

struct Environment {
  int stdin_fd = 0;
  int stdout_fd = 1;
  int stderr_fd = 2;
  bool stdout_is_tty = false;
  bool stderr_is_tty = false;
  /// The variable's value, or nothing when it is unset or empty.
  std::function<std::optional<std::string>(const std::string&)> variable = [](const std::string&) {
    return std::nullopt;
  };
  /// Asked to stop (SIGINT, SIGTERM): finish what is consistent and return kInterrupted.
  std::stop_token stop{};
};

/// The environment of this process: descriptors 0 to 2, isatty, getenv.
Environment process_environment();

/// Writes all of `text` to descriptor `fd`.
Result<void> write_text(int fd, std::string_view text);

}  // namespace mark6
