// SPDX-License-Identifier: MIT
// Expected failures as values: Result<T> and Error. An Error reads as one line an operator can act
// on: "path: what was found; what was expected; what to do". Exceptions are left for bugs.
#pragma once

#include <cstdint>
#include <string>
#include <tl/expected.hpp>

namespace mark6 {

/// What kind of failure it is; each program maps it to its exit code (exit_code.hpp) or errno.
enum class ErrorCode {
  kUsage,        ///< the command line or an option cannot be understood
  kNotFound,     ///< a scan, file or directory is not there
  kAmbiguous,    ///< a name fits more than one scan
  kBadFormat,    ///< bytes on disk are not what the Mark6 format allows
  kIo,           ///< a system call on data or output failed (errno_value says how)
  kNoSpace,      ///< the output's file system or quota is full
  kClosed,       ///< the reader of our output has gone (EPIPE)
  kInterrupted,  ///< a signal asked us to stop
  kTimeout,      ///< a disk did not answer before its deadline
  kUnsupported,  ///< the machine lacks something that was asked for
};

/// A failure an operator may read. Every text field may be empty, except `found`.
struct Error {
  ErrorCode code = ErrorCode::kIo;
  std::string path{};      ///< the file, device or option concerned, as named by the user
  std::string found{};     ///< what was found or what failed
  std::string expected{};  ///< what was expected instead
  std::string advice{};    ///< what to do about it
  int errno_value = 0;     ///< errno of the failed call, 0 where there is none
};

template <class T>
using Result = tl::expected<T, Error>;

using Failure = tl::unexpected<Error>;

/// The error as one line without a newline, control characters escaped.
std::string describe(const Error& error);

/// A failed system call on `path`: "path: cannot <what>: <strerror>". ENOSPC and EDQUOT become
/// kNoSpace, EPIPE kClosed, ENOENT and ENOTDIR kNotFound, EINTR kInterrupted, everything else kIo.
Failure system_failure(const std::string& path, const std::string& what, int errno_value);

/// A failure with the given code and sentences.
inline Failure failure(ErrorCode code, std::string path, std::string found,
                       std::string expected = {}, std::string advice = {}) {
  return Failure(
      Error{code, std::move(path), std::move(found), std::move(expected), std::move(advice), 0});
}

}  // namespace mark6
