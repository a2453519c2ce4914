// SPDX-License-Identifier: MIT
// Where the stream goes: stdout or a path, opened so that nothing is lost. An input is never opened
// for writing by us (compared by device and inode, before anything is cut off), a file that exists
// is not overwritten unless asked, and data never go to a terminal.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "common/base/environment.hpp"
#include "common/base/error.hpp"
#include "common/os/unique_fd.hpp"
#include "gather/stop_event.hpp"

namespace mark6::gather {

enum class OutputKind { kFile, kPipe, kSocket, kDevice };
enum class OutputMode { kNew, kForce, kAppend };

/// An output, open and positioned where the first byte goes.
struct Output {
  OutputKind kind = OutputKind::kFile;
  UniqueFd owned{};  ///< not set where the descriptor is the caller's (stdout)
  int fd = -1;
  std::string name{};            ///< for messages
  std::uint64_t size_bytes = 0;  ///< kAppend: what the file holds already
  bool is_path = false;          ///< named by the user, so that it can be resumed by --append
};

/// Device and inode of a file.
using FileKey = std::pair<dev_t, ino_t>;

/// Opens the output: `path`, or stdout of `environment` where there is none. Waits for the reader
/// of a FIFO. Errors: kUsage (exists, is an input, a terminal, a directory, a block device),
/// kNoSpace, kIo, kNotFound, kInterrupted.
Result<Output> open_output(const std::optional<std::string>& path, OutputMode mode,
                           const std::vector<FileKey>& inputs, const Environment& environment,
                           const StopEvent& stop);

/// Closes a file of ours, which is when some file systems (NFS, quotas) tell of a failed write.
Result<void> close_output(Output& output);

}  // namespace mark6::gather
