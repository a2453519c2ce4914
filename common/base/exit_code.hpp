// SPDX-License-Identifier: MIT
// Exit codes, the same for all three programs (docs/design.md).
#pragma once

#include "common/base/error.hpp"

namespace mark6 {

enum class ExitCode : int {
  kDelivered = 0,    ///< everything was delivered
  kDamaged = 1,      ///< delivered, with holes or damage (told on stderr)
  kUsage = 2,        ///< the command line cannot be understood, or a name is ambiguous
  kNotFound = 3,     ///< no such scan, disk or file
  kIo = 4,           ///< I/O error, the output is incomplete
  kInterrupted = 5,  ///< stopped by a signal
};

/// The exit code for a failure of the given kind.
constexpr ExitCode exit_code_of(ErrorCode code) {
  switch (code) {
    case ErrorCode::kUsage:
    case ErrorCode::kAmbiguous:
      return ExitCode::kUsage;
    case ErrorCode::kNotFound:
      return ExitCode::kNotFound;
    case ErrorCode::kInterrupted:
      return ExitCode::kInterrupted;
    case ErrorCode::kClosed:
      return ExitCode::kDelivered;  // the reader has had enough: not an error
    default:
      return ExitCode::kIo;
  }
}

}  // namespace mark6
