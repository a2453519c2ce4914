// SPDX-License-Identifier: MIT
#include "gather/pipeline.hpp"

#include <condition_variable>
#include <mutex>
#include <set>
#include <utility>

#include "common/base/clock.hpp"

namespace mark6::gather {
namespace {

/// As much as lies contiguous in memory; blocks are smaller.
constexpr std::size_t kTakeBytes = std::size_t{16} << 20;

StreamSource source_of(const OpenedScanPtr& scan) {
  StreamSource source;
  source.keep_alive = scan;
  source.index = &scan->index;
  for (std::size_t i = 0; i < scan->fragments.size(); ++i) {
    StreamFile file;
    file.path = scan->fragments[i].path;
    file.disk = scan->fragments[i].disk;
    if (const auto& open = scan->files[i]) {
      file.direct_fd = open->direct_fd();
      file.buffered_fd = open->buffered_fd();
      file.alignment = open->direct_alignment();
    }
    source.files.push_back(std::move(file));
  }
  return source;
}

/// Disks that hold fragments of the scan: those that can be kept busy.
std::size_t disks_of(const OpenedScan& scan) {
  std::set<DiskIndex> disks;
  for (const FragmentPath& fragment : scan.fragments) disks.insert(fragment.disk);
  return disks.size();
}

}  // namespace

void Unread::add(const Unread& other) {
  bytes += other.bytes;
  places += other.places;
  for (const Error& error : other.errors) {
    if (errors.size() < kMostKept) errors.push_back(error);
  }
}

Result<OpenedScanPtr> open_scan_or_stop(const Scan& scan, std::size_t disks,
                                        const std::stop_token& stop, IndexBy index_by) {
  std::mutex mutex;
  std::condition_variable_any opened;
  OpenedScanPtr result;
  ScanOpener opener(disks);  // destroyed first: no callback comes after that
  opener.open(
      scan, /*urgent=*/true,
      [&](OpenedScanPtr scan_opened) {
        const std::lock_guard lock(mutex);
        result = std::move(scan_opened);
        opened.notify_one();
      },
      index_by);
  std::unique_lock lock(mutex);
  if (!opened.wait(lock, stop, [&] { return result != nullptr; })) return interrupted();
  return result;
}

Result<std::unique_ptr<Pipeline>> Pipeline::start(const OpenedScanPtr& scan, std::size_t disks,
                                                  const PipelineOptions& options) {
  ReadEngineOptions engine_options;
  engine_options.backend = options.backend;
  engine_options.memory_bytes = options.memory_bytes.value_or(
      default_memory_budget(disks_of(*scan), scan->index.largest_extent_bytes()));
  engine_options.deadline_ns = options.deadline_ns;
  engine_options.on_hung = options.on_hung;
  auto engine = ReadEngine::start(disks, engine_options);
  if (!engine) return Failure(engine.error());
  std::unique_ptr<Pipeline> pipeline(new Pipeline);
  pipeline->skip_errors_ = options.skip_errors;
  pipeline->engine_ = std::move(*engine);
  const ScanStreamOptions stream_options{options.range.begin, options.range.end,
                                         /*sequential=*/true};
  pipeline->stream_ = ScanStream::open(*pipeline->engine_, source_of(scan), stream_options);
  return pipeline;
}

Result<void> Pipeline::run(Sink& sink, const std::stop_token& stop) {
  StallLedger& time = stream_->ledger();
  while (true) {
    auto piece = stream_->take(kTakeBytes, stop);
    if (!piece) {
      const bool passable = skip_errors_ && piece.error().code == ErrorCode::kIo;
      if (!passable) return Failure(piece.error());
      ++unread_.places;
      unread_.bytes = stream_->lost_bytes();
      if (unread_.errors.size() < Unread::kMostKept) unread_.errors.push_back(piece.error());
      continue;
    }
    if (piece->empty()) {
      const bool nothing = unread_.places > 0 && stream_->delivered_bytes() == 0;
      if (nothing) return Failure(unread_.errors.front());
      return {};
    }
    time.waiting_for_sink(monotonic_ns());
    auto written = sink.write(std::move(*piece));
    time.working(monotonic_ns());
    if (!written) return written;
  }
}

}  // namespace mark6::gather
