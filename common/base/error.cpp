// SPDX-License-Identifier: MIT
#include "common/base/error.hpp"

#include <cerrno>
#include <system_error>

#include "common/base/escape.hpp"

namespace mark6 {

std::string describe(const Error& error) {
  std::string line;
  if (!error.path.empty()) line += escaped(error.path) + ": ";
  line += escaped(error.found);
  if (!error.expected.empty()) line += "; expected " + escaped(error.expected);
  if (!error.advice.empty()) line += "; " + escaped(error.advice);
  return line;
}

namespace {

ErrorCode code_of(int errno_value) {
  switch (errno_value) {
    case ENOSPC:
    case EDQUOT:
      return ErrorCode::kNoSpace;
    case EPIPE:
      return ErrorCode::kClosed;
    case ENOENT:
    case ENOTDIR:
      return ErrorCode::kNotFound;
    case EINTR:
      return ErrorCode::kInterrupted;
    default:
      return ErrorCode::kIo;
  }
}

}  // namespace

Failure system_failure(const std::string& path, const std::string& what, int errno_value) {
  // generic_category().message is strerror made safe for several threads.
  return Failure(Error{code_of(errno_value),
                       path,
                       "cannot " + what + ": " + std::generic_category().message(errno_value),
                       {},
                       {},
                       errno_value});
}

}  // namespace mark6
