// SPDX-License-Identifier: MIT
#include "common/catalog/content.hpp"

#include <algorithm>
#include <set>

#include "common/catalog/block_places.hpp"

namespace mark6 {
namespace {

using vdif::FrameSample;

/// More than a block has.
constexpr std::size_t kAllPackets = std::size_t{1} << 20;

/// Dates of files behind this are nonsense.
constexpr std::int64_t kLastSensibleDate = std::int64_t{1} << 40;

/// Reads frame headers, which lie a packet apart in either direction, through one window.
class Headers {
 public:
  explicit Headers(const DataFile& file) : file_(file) {}

  /// The header at `offset`, fewer bytes where it cannot be read. The next ones will be looked for
  /// `forwards`, or before it.
  Bytes at(FileOffset offset, bool forwards) {
    const bool is_there =
        offset >= start_ && offset + vdif::kHeaderBytes <= start_ + window_.size();
    if (!is_there) load(offset, forwards);
    const std::size_t from = std::min<std::size_t>(offset - start_, window_.size());
    return Bytes(window_).subspan(from, std::min(vdif::kHeaderBytes, window_.size() - from));
  }

 private:
  void load(FileOffset offset, bool forwards) {
    constexpr std::uint64_t kWindowBytes = std::uint64_t{128} << 10;
    const std::uint64_t end = offset.value + vdif::kHeaderBytes;
    start_ = forwards || end < kWindowBytes ? offset : FileOffset(end - kWindowBytes);
    window_.resize(forwards ? kWindowBytes : end - start_.value);
    const auto got = file_.read_some_at(start_, window_);
    window_.resize(got ? *got : 0);
  }

  const DataFile& file_;
  FileOffset start_;
  std::vector<std::byte> window_;
};

/// The packets of one block.
class Packets {
 public:
  Packets(const OpenedScan& scan, const sg::Extent& extent)
      : packet_bytes_(scan.index.packet_size()),
        hint_unix_s_(std::clamp<std::int64_t>(scan.fragments[extent.fragment().value].mtime_s, 0,
                                              kLastSensibleDate)) {
    const auto& file = scan.files[extent.fragment().value];
    if (!file || packet_bytes_ == 0) return;
    headers_.emplace(*file);
    // The parts of a plain file begin anywhere in a packet, blocks with one.
    const std::uint64_t behind = extent.scan_offset.value % packet_bytes_;
    const bool is_plain =
        scan.index.fragments()[extent.fragment().value].kind == sg::FragmentKind::kPlain;
    const std::uint64_t skipped = is_plain && behind != 0 ? packet_bytes_ - behind : 0;
    if (extent.length < skipped) return;
    count_ = (extent.length - skipped) / packet_bytes_;
    first_ = extent.file_offset() + skipped;
    number_ = (extent.scan_offset.value + skipped) / packet_bytes_;
  }

  [[nodiscard]] std::uint64_t count() const { return count_; }

  /// Packet `i`, when it is a valid frame.
  std::optional<FrameSample> frame(std::uint64_t i, bool forwards) {
    const Bytes header = headers_->at(first_ + i * packet_bytes_, forwards);
    return vdif::sample_of(header, number_ + i, packet_bytes_, hint_unix_s_);
  }

 private:
  std::uint32_t packet_bytes_;
  std::int64_t hint_unix_s_;
  std::optional<Headers> headers_;
  std::uint64_t count_ = 0;
  FileOffset first_;
  std::uint64_t number_ = 0;
};

/// Valid frames from one end of the block: `wanted` of them, and more while new threads turn up;
/// `most` packets are looked at.
void take(std::vector<FrameSample>& samples, const OpenedScan& scan, const sg::Extent& extent,
          bool from_end, std::size_t wanted, std::uint64_t most = kMaxContentPackets) {
  Packets packets(scan, extent);
  std::set<std::uint16_t> threads;
  std::size_t taken = 0;
  const auto limit = std::min(packets.count(), most);
  for (std::uint64_t i = 0; i < limit && taken < wanted; ++i) {
    const auto sample = packets.frame(from_end ? packets.count() - 1 - i : i, !from_end);
    if (!sample) continue;
    ++taken;
    if (threads.insert(sample->header.thread).second) {
      wanted = std::max(wanted, taken + threads.size());
    }
    samples.push_back(*sample);
  }
}

std::vector<FrameSample> end_samples(const OpenedScan& scan, bool from_end) {
  std::vector<FrameSample> samples;
  const auto blocks =
      from_end ? last_blocks(scan.index, kEndBlocks) : first_blocks(scan.index, kEndBlocks);
  for (const sg::Extent& extent : blocks) {
    take(samples, scan, extent, from_end, samples.empty() ? kEnoughFrames : kFewFrames);
  }
  const std::size_t count = scan.index.block_count();
  for (std::size_t i = 0; samples.empty() && i < std::min(count, kSearchedBlocks); ++i) {
    const auto extent = find_place(scan, from_end ? count - 1 - i : i);
    if (extent) take(samples, scan, *extent, from_end, kEnoughFrames);
  }
  std::sort(samples.begin(), samples.end(),
            [](const auto& a, const auto& b) { return a.packet < b.packet; });
  return samples;
}

/// The second in which block `i` begins.
std::optional<std::int64_t> second_of(const OpenedScan& scan, std::size_t i) {
  std::vector<FrameSample> samples;
  if (const auto extent = find_place(scan, i)) take(samples, scan, *extent, false, 1);
  if (samples.empty()) return std::nullopt;
  return samples.front().unix_s;
}

/// The first block that begins after the second `first_s`; block_count() when none does.
std::size_t first_block_after(const OpenedScan& scan, std::int64_t first_s) {
  const std::size_t blocks = scan.index.block_count();
  const auto is_after = [&](std::size_t i) {
    return second_of(scan, i).value_or(first_s) > first_s;
  };
  std::size_t before = 0;
  std::size_t after = 1;
  while (after < blocks && !is_after(after)) {
    before = after;
    after *= 2;
  }
  after = std::min(after, blocks);
  while (after - before > 1) {
    const std::size_t middle = before + (after - before) / 2;
    (is_after(middle) ? after : before) = middle;
  }
  return after;
}

/// All frames of the block in which the second after `first_s` begins, and some of the next.
void take_border(std::vector<FrameSample>& samples, const OpenedScan& scan, std::int64_t first_s) {
  const std::size_t after = first_block_after(scan, first_s);
  if (const auto extent = find_place(scan, after - 1)) {
    take(samples, scan, *extent, false, kAllPackets, kAllPackets);
  }
  if (const auto extent = find_place(scan, after)) {
    take(samples, scan, *extent, false, kEnoughFrames);
  }
}

}  // namespace

vdif::Content content_of(const OpenedScan& scan) {
  vdif::SurveyInput input;
  input.head = end_samples(scan, false);
  input.tail = end_samples(scan, true);
  input.is_whole = scan.index.state() == sg::ScanState::kComplete;
  vdif::Content content = vdif::survey(input);
  if (content.rate_is_measured || !content.start) return content;
  // Two of them, because frames may be lost right before one.
  for (const std::int64_t later : {0, 1}) {
    take_border(input.border, scan, content.start->unix_s + later);
  }
  return vdif::survey(input);
}

}  // namespace mark6
