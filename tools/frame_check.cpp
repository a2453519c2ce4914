// SPDX-License-Identifier: MIT
#include "tools/frame_check.hpp"

#include <algorithm>
#include <set>

#include "common/catalog/content.hpp"
#include "common/read/scan_stream.hpp"
#include "tools/structure_check.hpp"

namespace mark6 {
namespace {

/// As much as lies contiguous in memory; blocks are smaller.
constexpr std::size_t kTakeBytes = std::size_t{16} << 20;
/// Reasons that are kept.
constexpr std::size_t kMaxProblems = 20;

StreamSource source_of(const OpenedScan& scan) {
  StreamSource source;  // no keep_alive: the scan stays open until the engine is gone
  source.index = &scan.index;
  for (std::size_t i = 0; i < scan.fragments.size(); ++i) {
    StreamFile file;
    file.path = scan.fragments[i].path;
    file.disk = scan.fragments[i].disk;
    if (const auto& open = scan.files[i]) {
      file.direct_fd = open->direct_fd();
      file.buffered_fd = open->buffered_fd();
      file.alignment = open->direct_alignment();
    }
    source.files.push_back(std::move(file));
  }
  return source;
}

Result<std::unique_ptr<ReadEngine>> start_engine(const OpenedScan& scan, std::size_t disks) {
  std::set<DiskIndex> used;
  for (const FragmentPath& fragment : scan.fragments) used.insert(fragment.disk);
  ReadEngineOptions options;
  options.memory_bytes = default_memory_budget(used.size(), scan.index.largest_extent_bytes());
  return ReadEngine::start(disks, options);
}

/// Whether the parts of the scan are blocks that a recorder made.
bool has_blocks(const sg::ScanIndex& index) {
  return std::none_of(
      index.fragments().begin(), index.fragments().end(), [](const sg::FragmentSummary& fragment) {
        return fragment.use == sg::FragmentUse::kUsed && fragment.kind == sg::FragmentKind::kPlain;
      });
}

vdif::StreamCheckOptions options_for(const OpenedScan& scan, const vdif::Content& content) {
  constexpr std::int64_t kLastSensibleDate = std::int64_t{1} << 40;
  vdif::StreamCheckOptions options;
  options.kind = content.kind;
  options.packet_bytes = scan.index.packet_size();
  options.frames_per_second = content.frames_per_second;
  options.base_unix_s = content.start ? content.start->unix_s : 0;
  if (!scan.fragments.empty()) {
    options.hint_unix_s =
        std::clamp<std::int64_t>(scan.fragments.front().mtime_s, 0, kLastSensibleDate);
  }
  return options;
}

/// Carries the bytes of a scan to a StreamCheck, and tells it where blocks begin and are missing.
class Feeder {
 public:
  Feeder(const sg::ScanIndex& index, vdif::StreamCheck& check)
      : index_(index), check_(check), has_blocks_(has_blocks(index)) {}

  void begin(std::uint64_t offset) {
    check_.start_anew();
    block_ = index_.find(ScanOffset(offset));
    next_ = offset;
  }

  /// `bytes` stand at `offset` of the scan.
  void add(std::uint64_t offset, Bytes bytes) {
    if (offset != next_) {
      check_.lose_blocks();
      block_ = index_.find(ScanOffset(offset));
    }
    next_ = offset + bytes.size();
    while (!bytes.empty()) {
      const sg::Extent block = index_.block(block_);
      if (has_blocks_ && offset == block.scan_offset.value) begin_block(block);
      const std::size_t step = std::min<std::size_t>(bytes.size(), block.scan_end().value - offset);
      check_.add(bytes.first(step));
      bytes = bytes.subspan(step);
      offset += step;
      if (offset == block.scan_end().value) ++block_;
    }
  }

 private:
  void begin_block(const sg::Extent& block) {
    const bool is_next =
        block_ == 0 || index_.block(block_ - 1).number.value + 1 == block.number.value;
    if (!is_next) check_.lose_blocks();
    check_.begin_block();
  }

  const sg::ScanIndex& index_;
  vdif::StreamCheck& check_;
  bool has_blocks_;
  std::size_t block_ = 0;
  std::uint64_t next_ = 0;
};

void look_at(const Stretch& stretch, ScanStream& stream, Feeder& feeder, FrameCheck& check,
             FrameProgress& progress, const std::stop_token& stop) {
  feeder.begin(stretch.begin);
  while (!stop.stop_requested()) {
    auto piece = stream.take(kTakeBytes, stop);
    if (!piece) {
      if (piece.error().code != ErrorCode::kIo) break;
      if (check.problems.size() < kMaxProblems) check.problems.push_back(describe(piece.error()));
      continue;
    }
    if (piece->empty()) break;
    feeder.add(piece->offset().value, piece->bytes());
    check.looked_at_bytes += piece->bytes().size();
    progress.looked_at_bytes += piece->bytes().size();
  }
  check.unread_bytes += stream.lost_bytes();
}

}  // namespace

std::vector<Stretch> stretches_of(const sg::ScanIndex& index, const FrameCheckOptions& options) {
  const std::uint64_t size = index.size_bytes();
  const std::uint64_t count = std::max(options.stretches, 2U);
  if (options.full || size <= count * kStretchBytes) return {{0, size}};
  std::vector<Stretch> stretches;
  const std::uint64_t packet = std::max(index.packet_size(), 1U);
  const bool in_blocks = has_blocks(index);
  for (std::uint64_t i = 0; i < count; ++i) {
    const std::uint64_t wanted = (size - kStretchBytes) / (count - 1) * i;
    const std::uint64_t last = i + 1 == count ? size : 0;
    const std::uint64_t begin = in_blocks
                                    ? index.block(index.find(ScanOffset(wanted))).scan_offset.value
                                    : wanted - wanted % packet;
    const std::uint64_t end = std::max(last, begin + kStretchBytes - kStretchBytes % packet);
    if (!stretches.empty() && begin <= stretches.back().end) {
      stretches.back().end = std::max(stretches.back().end, std::min(end, size));
    } else {
      stretches.push_back({begin, std::min(end, size)});
    }
  }
  return stretches;
}

unsigned FrameCheck::findings() const {
  unsigned bits = 0;
  const bool knows_frames = content.kind != vdif::FrameKind::kUnknown;
  if (!report.is_clean() || (!knows_frames && scan_bytes > 0)) bits |= kCheckContent;
  if (unread_bytes > 0 || !problems.empty()) bits |= kCheckStructure;
  return bits == 0 ? 0 : bits | kCheckFindings;
}

FrameCheck check_frames(const OpenedScan& opened, std::size_t disks,
                        const FrameCheckOptions& options, FrameProgress& progress,
                        const std::stop_token& stop) {
  FrameCheck check;
  check.content = content_of(opened);
  check.scan_bytes = opened.index.size_bytes();
  const bool knows_frames = check.content.kind != vdif::FrameKind::kUnknown;
  if (!knows_frames || opened.index.packet_size() == 0) return check;
  const auto engine = start_engine(opened, disks);
  if (!engine) {
    check.problems.push_back(describe(engine.error()));
    return check;
  }
  const std::vector<Stretch> stretches = stretches_of(opened.index, options);
  check.stretches = stretches.size();
  for (const Stretch& stretch : stretches) progress.wanted_bytes += stretch.end - stretch.begin;
  vdif::StreamCheck stream_check(options_for(opened, check.content));
  Feeder feeder(opened.index, stream_check);
  for (const Stretch& stretch : stretches) {
    const ScanStreamOptions range{ScanOffset(stretch.begin), ScanOffset(stretch.end),
                                  /*sequential=*/true};
    const auto stream = ScanStream::open(**engine, source_of(opened), range);
    look_at(stretch, *stream, feeder, check, progress, stop);
    if (stop.stop_requested()) break;
  }
  check.report = stream_check.finish();
  return check;
}

}  // namespace mark6
