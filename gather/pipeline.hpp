// SPDX-License-Identifier: MIT
// From an opened scan to a sink: the engine reads all disks ahead of the sink, the calling thread
// carries each piece over. The first failure on either side ends it.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <stop_token>
#include <vector>

#include "common/base/error.hpp"
#include "common/catalog/scan_opener.hpp"
#include "common/read/read_engine.hpp"
#include "common/read/scan_stream.hpp"
#include "gather/plan.hpp"
#include "gather/sink.hpp"

namespace mark6::gather {

/// Opens the scan as mark6::open_scan() does, but stops waiting when asked to. Errors:
/// kInterrupted.
Result<OpenedScanPtr> open_scan_or_stop(const Scan& scan, std::size_t disks,
                                        const std::stop_token& stop,
                                        IndexBy index_by = IndexBy::kProof);

struct PipelineOptions {
  Range range;
  std::optional<std::uint64_t> memory_bytes;  ///< nothing: the default budget
  BackendFactory backend = default_backend();
  /// Go on behind bytes that cannot be read; otherwise they end the stream.
  bool skip_errors = false;
  std::int64_t deadline_ns = kReadDeadlineNs;
  HungNotice on_hung{};
};

/// What could not be read and was left out.
struct Unread {
  static constexpr std::size_t kMostKept = 1000;
  std::uint64_t bytes = 0;
  std::uint64_t places = 0;
  std::vector<Error> errors;  ///< of the first places, at most kMostKept
  void add(const Unread& other);
};

class Pipeline {
 public:
  /// Starts to read `scan`, whose fragments lie on some of `disks` disks. Errors: kUnsupported,
  /// kIo.
  static Result<std::unique_ptr<Pipeline>> start(const OpenedScanPtr& scan, std::size_t disks,
                                                 const PipelineOptions& options);

  /// Carries the whole range to `sink`. Errors: those of ScanStream::take() and Sink::write(); of
  /// the former, where errors are skipped, only when nothing at all can be read.
  Result<void> run(Sink& sink, const std::stop_token& stop);
  [[nodiscard]] const Unread& unread() const { return unread_; }

  [[nodiscard]] StallLedger& ledger() { return stream_->ledger(); }
  [[nodiscard]] const ReadEngine& engine() const { return *engine_; }

 private:
  Pipeline() = default;
  bool skip_errors_ = false;
  Unread unread_;
  std::unique_ptr<ReadEngine> engine_;
  std::unique_ptr<ScanStream> stream_;  // closed before the engine is
};

}  // namespace mark6::gather
