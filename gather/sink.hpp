// SPDX-License-Identifier: MIT
// Takes pieces of a scan and gets them to the output: pages by vmsplice where it is a pipe, copies
// by write or send elsewhere. A sink that waits for its reader stops waiting when asked to stop.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>

#include "common/base/bytes.hpp"
#include "common/base/error.hpp"
#include "common/read/scan_stream.hpp"
#include "gather/output.hpp"
#include "gather/stop_event.hpp"

namespace mark6::gather {

class Sink {
 public:
  Sink() = default;
  Sink(const Sink&) = delete;
  Sink& operator=(const Sink&) = delete;
  virtual ~Sink() = default;

  /// Delivers all bytes of `piece`. Errors: kClosed (the reader has gone), kNoSpace, kInterrupted,
  /// kIo; written_bytes() then says how much of it was delivered.
  virtual Result<void> write(Piece&& piece) = 0;

  /// Bytes delivered so far; any thread.
  [[nodiscard]] std::uint64_t written_bytes() const {
    return written_bytes_.load(std::memory_order_relaxed);
  }
  /// "vmsplice", "write" or "send", for reports.
  [[nodiscard]] virtual const char* way() const = 0;

 protected:
  void count(std::size_t bytes) { written_bytes_.fetch_add(bytes, std::memory_order_relaxed); }

 private:
  std::atomic<std::uint64_t> written_bytes_{0};
};

/// Copies with write(2), or send(2) on a socket.
class FdSink final : public Sink {
 public:
  /// `output` and `stop` outlive the sink.
  FdSink(const Output& output, const StopEvent& stop) : output_(output), stop_(stop) {}
  Result<void> write(Piece&& piece) override;
  [[nodiscard]] const char* way() const override {
    return output_.kind == OutputKind::kSocket ? "send" : "write";
  }

 private:
  const Output& output_;
  const StopEvent& stop_;
};

/// Gives pages to a pipe without a copy. They belong to the pipe from then on, and the piece is
/// told so; small pieces, and all of them where vmsplice is refused, are copied.
class PipeSink final : public Sink {
 public:
  /// Widens the pipe as far as the system allows. `output` and `stop` outlive the sink.
  PipeSink(const Output& output, const StopEvent& stop);
  Result<void> write(Piece&& piece) override;
  [[nodiscard]] const char* way() const override { return splices_ ? "vmsplice" : "write"; }
  /// Copies from now on; for tests and machines where vmsplice is refused.
  void do_not_splice() { splices_ = false; }

  static constexpr std::size_t kSpliceBytes = std::size_t{64} << 10;

 private:
  Result<Bytes> splice(Bytes bytes);
  Result<void> copy(Bytes bytes);

  const Output& output_;
  const StopEvent& stop_;
  bool splices_ = true;
  std::size_t copy_bytes_;  ///< per write: without O_NONBLOCK no more than surely does not block
};

/// The sink for `output`; both arguments outlive it.
std::unique_ptr<Sink> make_sink(const Output& output, const StopEvent& stop);

/// The most that /proc/sys/fs/pipe-max-size allows for a pipe; 1 MiB where it cannot be read.
int pipe_size_limit();

}  // namespace mark6::gather
