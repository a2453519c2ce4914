// SPDX-License-Identifier: MIT
// One consumer's way through one scan. Sequential readers get a window over ALL disks, read in scan
// order and soonest-needed-first; it moves only as the consumer releases what it took. Random
// readers get just the bytes they ask for. Nothing is copied between the disks and the consumer.
#pragma once

#include <sys/uio.h>

#include <cstdint>
#include <memory>
#include <stop_token>
#include <string>
#include <vector>

#include "common/account/stall_ledger.hpp"
#include "common/base/bytes.hpp"
#include "common/base/error.hpp"
#include "common/base/units.hpp"
#include "common/read/read_engine.hpp"
#include "common/sg/scan_index.hpp"

namespace mark6 {

/// One fragment file as the reader needs it.
struct StreamFile {
  std::string path;
  int direct_fd = -1;    ///< -1: no O_DIRECT on this file system
  int buffered_fd = -1;  ///< -1: the fragment could not be opened and has no extents
  std::uint32_t alignment = 4096;
  DiskIndex disk{};
};

/// A scan as the reader needs it. `keep_alive` owns index and descriptors; the stream holds it
/// until its last read has come back.
struct StreamSource {
  std::shared_ptr<const void> keep_alive;
  const sg::ScanIndex* index = nullptr;
  std::vector<StreamFile> files;  ///< by FragmentIndex
};

class BlockLoad;
class StreamState;

/// Keeps a part of a scan in memory; move-only.
class Pin {
 public:
  Pin() = default;
  explicit Pin(BlockLoad* load);
  Pin(Pin&& other) noexcept;
  Pin& operator=(Pin&& other) noexcept;
  Pin(const Pin&) = delete;
  Pin& operator=(const Pin&) = delete;
  ~Pin();

 private:
  friend class Piece;
  friend class StreamState;
  BlockLoad* load_ = nullptr;
};

/// Bytes of the scan that are in memory until the piece is destroyed.
class Piece {
 public:
  Piece() = default;
  Piece(Pin pin, Bytes bytes, ScanOffset offset)
      : pin_(std::move(pin)), bytes_(bytes), offset_(offset) {}
  [[nodiscard]] Bytes bytes() const { return bytes_; }
  [[nodiscard]] ScanOffset offset() const { return offset_; }
  [[nodiscard]] bool empty() const { return bytes_.empty(); }
  /// The pages of these bytes now belong to a pipe as well (vmsplice): their slab is unmapped
  /// when the last piece of it is gone, and never reused.
  void given_to_pipe();

 private:
  Pin pin_;
  Bytes bytes_;
  ScanOffset offset_;
};

/// A read of any range, for consumers that must not wait (FUSE). The owner keeps it alive until it
/// was ready; reset() (or the destructor) lets go of the memory.
class ReadOperation {
 public:
  ReadOperation() = default;
  ReadOperation(const ReadOperation&) = delete;
  ReadOperation& operator=(const ReadOperation&) = delete;
  virtual ~ReadOperation() = default;

  /// Called exactly once, on the reaper thread, when ScanStream::read() returned false and the
  /// bytes are there (or have failed). Must not block or call into the stream.
  virtual void on_ready() = 0;

  /// 0, or the errno of the failure. Valid once ready.
  [[nodiscard]] int error() const { return error_; }
  /// The bytes, in order, min(length, end of scan - offset) in all. Valid once ready, until reset.
  [[nodiscard]] const std::vector<iovec>& parts() const { return parts_; }
  [[nodiscard]] std::size_t bytes() const { return bytes_; }
  /// Releases the memory.
  void reset();

 private:
  friend class StreamState;
  std::vector<iovec> parts_;
  std::vector<Pin> pins_;
  std::size_t bytes_ = 0;
  int error_ = 0;
  ScanOffset begin_, end_;
  std::size_t pending_ = 0;    ///< engine reads still to come
  std::int64_t since_ns_ = 0;  ///< when it began to wait
  ReadOperation* next_ready_ = nullptr;
};

struct ScanStreamOptions {
  ScanOffset begin{};       ///< where take() starts
  ScanOffset end{~0ULL};    ///< where take() ends; clipped to the scan
  bool sequential = false;  ///< read ahead at once (a gather)
  /// Memory of the window until its consumer has had to wait: three blocks of the usual size, and
  /// about what a processor has as cache.
  std::uint64_t first_reach_bytes = std::uint64_t{32} << 20;
};

class ScanStream {
 public:
  /// A stream over `source` on `engine`, which outlives it.
  static std::unique_ptr<ScanStream> open(ReadEngine& engine, StreamSource source,
                                          const ScanStreamOptions& options);
  /// Drops reads not yet issued; those in flight keep their memory until they come back.
  ~ScanStream();
  ScanStream(const ScanStream&) = delete;
  ScanStream& operator=(const ScanStream&) = delete;

  /// The next bytes in scan order, at least 1 and at most `max_bytes`, contiguous in memory; empty
  /// at the end. Waits for the disks. Errors: kIo (bytes that cannot be read: take() again goes on
  /// behind them, see lost_bytes(); whole packets are lost, or the rest of the block where packets
  /// are not known), kInterrupted (`stop`). One thread only.
  Result<Piece> take(std::size_t max_bytes, const std::stop_token& stop);

  /// Starts to read [offset, offset + length) into `operation`. True: it is ready already, and
  /// on_ready() will not be called. False: on_ready() will be, perhaps before this returns. Any
  /// thread, any number at a time; not on a stream that take() is used on.
  bool read(ScanOffset offset, std::size_t length, ReadOperation& operation);

  /// Where the time went. take() charges waiting for a disk, and own work otherwise; the consumer
  /// charges waiting for its sink itself.
  [[nodiscard]] StallLedger& ledger();
  /// Bytes that take() has stepped over, because they could not be read.
  [[nodiscard]] std::uint64_t lost_bytes() const;
  /// Bytes handed out so far.
  [[nodiscard]] std::uint64_t delivered_bytes() const;
  /// Bytes of the window now, for tests and reports.
  [[nodiscard]] std::uint64_t window_bytes() const;

 private:
  explicit ScanStream(std::shared_ptr<StreamState> state);
  std::shared_ptr<StreamState> state_;
};

}  // namespace mark6
