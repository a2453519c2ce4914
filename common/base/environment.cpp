// SPDX-License-Identifier: MIT
#include "common/base/environment.hpp"

#include <unistd.h>

#include <cerrno>
#include <cstdlib>

namespace mark6 {

Environment process_environment() {
  Environment environment;
  environment.stdout_is_tty = ::isatty(STDOUT_FILENO) == 1;
  environment.stderr_is_tty = ::isatty(STDERR_FILENO) == 1;
  environment.variable = [](const std::string& name) -> std::optional<std::string> {
    const char* value = std::getenv(name.c_str());  // NOLINT(concurrency-mt-unsafe): nobody sets
    if (value == nullptr || *value == '\0') return std::nullopt;
    return value;
  };
  return environment;
}

Result<void> write_text(int fd, std::string_view text) {
  while (!text.empty()) {
    const ssize_t n = ::write(fd, text.data(), text.size());
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return system_failure("output", "write", errno);
    text.remove_prefix(static_cast<std::size_t>(n));
  }
  return {};
}

}  // namespace mark6
