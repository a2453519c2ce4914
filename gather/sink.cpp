// SPDX-License-Identifier: MIT
#include "gather/sink.hpp"

#include <fcntl.h>
#include <limits.h>
#include <spdlog/spdlog.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <utility>

#include "common/base/escape.hpp"
#include "common/os/file.hpp"

namespace mark6::gather {
namespace {

/// One write of at most so much, so that a stop and the progress line are noticed soon.
constexpr std::size_t kWriteBytes = std::size_t{4} << 20;

/// What a failed write means to the user.
Failure write_failure(const Output& output, int error) {
  Failure failed = system_failure(output.name, "write", error);
  if (error == ENOSPC || error == EDQUOT) {
    failed.value().found = error == ENOSPC ? "no space is left" : "the disk quota is used up";
  }
  return failed;
}

/// Raises the capacity of the pipe, in halves where a user's share of pipe memory is used up.
void widen(int pipe_fd) {
  const int before = ::fcntl(pipe_fd, F_GETPIPE_SZ);
  if (before <= 0) return;
  for (int size = pipe_size_limit(); size > before; size /= 2) {
    if (::fcntl(pipe_fd, F_SETPIPE_SZ, size) >= 0) return;
  }
}

}  // namespace

int pipe_size_limit() {
  int limit = 1 << 20;
  const auto text = read_small_file("/proc/sys/fs/pipe-max-size", 64);
  if (text) std::from_chars(text->data(), text->data() + text->size(), limit);
  return limit;
}

Result<void> FdSink::write(Piece&& piece) {
  const Piece held = std::move(piece);
  Bytes rest = held.bytes();
  while (!rest.empty()) {
    if (stop_.requested()) return interrupted();
    const std::size_t size = std::min(rest.size(), kWriteBytes);
    const ssize_t n = output_.kind == OutputKind::kSocket
                          ? ::send(output_.fd, rest.data(), size, MSG_NOSIGNAL | MSG_DONTWAIT)
                          : ::write(output_.fd, rest.data(), size);
    if (n >= 0) {
      count(static_cast<std::size_t>(n));
      rest = rest.subspan(static_cast<std::size_t>(n));
    } else if (errno == EAGAIN) {
      if (auto waited = stop_.wait_writable(output_.fd, output_.name); !waited) return waited;
    } else if (errno != EINTR) {
      return write_failure(output_, errno);
    }
  }
  return {};
}

PipeSink::PipeSink(const Output& output, const StopEvent& stop) : output_(output), stop_(stop) {
  const bool blocks = (::fcntl(output.fd, F_GETFL) & O_NONBLOCK) == 0;
  copy_bytes_ = blocks ? PIPE_BUF : kWriteBytes;
  widen(output.fd);
}

Result<void> PipeSink::write(Piece&& piece) {
  Piece held = std::move(piece);
  Bytes rest = held.bytes();
  if (splices_ && rest.size() >= kSpliceBytes) {
    // Said before it is done: on whatever way this function is left, no page that may lie in the
    // pipe is ever written to again.
    held.given_to_pipe();
    auto left = splice(rest);
    if (!left) return Failure(left.error());
    rest = *left;
  }
  return copy(rest);
}

/// Moves `bytes` into the pipe; what is left over when the kernel turns out not to do it.
Result<Bytes> PipeSink::splice(Bytes bytes) {
  while (!bytes.empty()) {
    if (stop_.requested()) return interrupted();
    // vmsplice only reads the memory when it fills a pipe; iovec has no const.
    const iovec part{const_cast<std::byte*>(bytes.data()), bytes.size()};
    const ssize_t n = ::vmsplice(output_.fd, &part, 1, SPLICE_F_NONBLOCK);
    if (n > 0) {
      count(static_cast<std::size_t>(n));
      bytes = bytes.subspan(static_cast<std::size_t>(n));
      if (bytes.empty()) break;
    } else if (n < 0 && errno == EPIPE) {
      return write_failure(output_, errno);
    } else if (n < 0 && errno != EAGAIN && errno != EINTR) {
      spdlog::debug("{}: vmsplice is refused here ({}), so the data are copied",
                    escaped(output_.name), errno);
      splices_ = false;
      break;
    }
    if (auto waited = stop_.wait_writable(output_.fd, output_.name); !waited) {
      return Failure(waited.error());
    }
  }
  return bytes;
}

/// Copies `bytes` into the pipe.
Result<void> PipeSink::copy(Bytes bytes) {
  while (!bytes.empty()) {
    if (auto waited = stop_.wait_writable(output_.fd, output_.name); !waited) return waited;
    const ssize_t n = ::write(output_.fd, bytes.data(), std::min(bytes.size(), copy_bytes_));
    if (n > 0) {
      count(static_cast<std::size_t>(n));
      bytes = bytes.subspan(static_cast<std::size_t>(n));
    } else if (n < 0 && errno != EAGAIN && errno != EINTR) {
      return write_failure(output_, errno);
    }
  }
  return {};
}

std::unique_ptr<Sink> make_sink(const Output& output, const StopEvent& stop) {
  if (output.kind == OutputKind::kPipe) return std::make_unique<PipeSink>(output, stop);
  return std::make_unique<FdSink>(output, stop);
}

}  // namespace mark6::gather
