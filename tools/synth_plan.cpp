// SPDX-License-Identifier: MIT
#include "tools/synth_plan.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <set>

#include "tools/synth_placement.hpp"

namespace mark6::synth {
namespace {

constexpr std::uint64_t kMaxBlocks = std::uint64_t{std::numeric_limits<std::int32_t>::max()};
constexpr std::uint32_t kMaxDisks = 512;  // one descriptor each, well below the usual 1024

Failure cannot(const std::string& option, const std::string& found, const std::string& expected) {
  return failure(ErrorCode::kUsage, option, found, expected);
}

Result<std::vector<PlannedDisk>> plan_disks(const SynthOptions& options) {
  if (options.modules * options.disks > kMaxDisks) {
    return cannot("--disks", fmt::format("{} disks in all", options.modules * options.disks),
                  fmt::format("at most {}", kMaxDisks));
  }
  std::vector<PlannedDisk> disks;
  for (std::uint32_t module = 1; module <= options.modules; ++module) {
    for (std::uint32_t disk = 0; disk < options.disks; ++disk) {
      disks.push_back({.label = {module, disk}, .file_bytes = sg::kFileHeaderBytes});
    }
  }
  return disks;
}

/// Place of `label` among the disks, which stand module by module.
Result<std::size_t> place_of(const std::string& option, DiskLabel label,
                             const SynthOptions& options) {
  if (label.module < 1 || label.module > options.modules || label.disk >= options.disks) {
    return cannot(option, fmt::format("no disk {}/{}", label.module, label.disk),
                  fmt::format("1/0 to {}/{}", options.modules, options.disks - 1));
  }
  return std::size_t{label.module - 1} * options.disks + label.disk;
}

Result<std::vector<double>> slowness_of(const SynthOptions& options, std::size_t disks) {
  if (options.placement == Placement::kRoundRobin && !options.slow.empty()) {
    return cannot("--slow", "round robin gives every disk its turn", "another --placement");
  }
  std::vector<double> slowness(disks, 1.0);
  for (const SlowDisk& slow : options.slow) {
    const auto place = place_of("--slow", slow.disk, options);
    if (!place) return Failure(place.error());
    slowness[*place] = slow.factor;
  }
  return slowness;
}

Result<void> mark_missing_disks(const SynthOptions& options, std::vector<PlannedDisk>& disks) {
  for (const DiskLabel label : options.missing_disks) {
    const auto place = place_of("--missing-disk", label, options);
    if (!place) return Failure(place.error());
    disks[*place].missing = true;
  }
  return {};
}

/// Packets of a full block.
Result<std::uint32_t> packets_per_block(const SynthOptions& options) {
  const std::size_t header = sg::block_header_bytes(options.sg_version);
  const std::uint64_t packets =
      options.block_bytes < header ? 0 : (options.block_bytes - header) / options.packet_bytes;
  if (packets == 0) {
    return cannot("--block-size", fmt::format("{} bytes", options.block_bytes),
                  fmt::format("at least one packet of {} bytes", options.packet_bytes));
  }
  if (packets * options.packet_bytes + header > kMaxBlocks) {
    return cannot("--block-size", fmt::format("{} bytes", options.block_bytes),
                  "less than 2 GiB, what the format can express");
  }
  return static_cast<std::uint32_t>(packets);
}

/// Frames of each block in turn, until the wanted length is reached.
class BlockLengths {
 public:
  BlockLengths(const SynthOptions& options, std::uint32_t full)
      : full_(full), shorts_(options.short_blocks.begin(), options.short_blocks.end()) {
    if (const auto* blocks = std::get_if<LengthBlocks>(&options.length)) blocks_ = blocks->value;
    if (const auto* frames = std::get_if<LengthFrames>(&options.length)) frames_ = frames->value;
    if (const auto* bytes = std::get_if<LengthBytes>(&options.length)) {
      frames_ = bytes->value / options.packet_bytes;
    }
  }

  /// Frames of block `number`; 0 when the scan has ended.
  std::uint32_t next(std::uint64_t number) {
    if (number >= blocks_) return 0;
    const std::uint32_t wanted = shorts_.contains(number) ? short_frames() : full_;
    const auto frames = static_cast<std::uint32_t>(std::min<std::uint64_t>(wanted, frames_));
    frames_ -= frames;
    return frames;
  }

  /// Half of a full block: clearly short, still whole packets.
  [[nodiscard]] std::uint32_t short_frames() const { return full_ / 2; }

 private:
  std::uint32_t full_;
  std::set<std::uint64_t> shorts_;
  std::uint64_t blocks_ = std::numeric_limits<std::uint64_t>::max();
  std::uint64_t frames_ = std::numeric_limits<std::uint64_t>::max();
};

Result<void> cut_into_blocks(const SynthOptions& options, std::uint32_t full, SynthPlan& plan) {
  if (full < 2 && (options.short_last || !options.short_blocks.empty())) {
    return cannot("--short-block", "a full block is one packet", "a larger --block-size");
  }
  BlockLengths lengths(options, full);
  while (const std::uint32_t frames = lengths.next(plan.blocks.size())) {
    if (plan.blocks.size() == kMaxBlocks) {
      return cannot("length", "more blocks than the format can number", "larger blocks");
    }
    plan.blocks.push_back({.first_frame = plan.frames, .frames = frames});
    plan.frames += frames;
  }
  if (plan.blocks.empty()) return cannot("length", "not one frame", "at least one");
  PlannedBlock& last = plan.blocks.back();
  if (options.short_last && last.frames == full) {
    plan.frames -= full - lengths.short_frames();
    last.frames = lengths.short_frames();
  }
  for (const std::uint64_t number : options.short_blocks) {
    const bool is_last = number + 1 == plan.blocks.size();
    if (number >= plan.blocks.size() || (options.sg_version == 1 && !is_last)) {
      return cannot("--short-block", fmt::format("block {}", number),
                    options.sg_version == 1
                        ? "the last block, as version 1 stores no block lengths"
                        : fmt::format("a block from 0 to {}", plan.blocks.size() - 1));
    }
  }
  return {};
}

Result<void> mark_missing_blocks(const SynthOptions& options, SynthPlan& plan) {
  for (const std::uint64_t number : options.missing_blocks) {
    if (number >= plan.blocks.size()) {
      return cannot("--missing-block", fmt::format("block {}", number),
                    fmt::format("a block from 0 to {}", plan.blocks.size() - 1));
    }
    plan.blocks[number].missing = true;
  }
  return {};
}

/// Gives each block its disk. Blocks that were never written got no disk either; those of a disk
/// that is not there were written to it.
void place_blocks(Placer& placer, SynthPlan& plan) {
  const std::size_t header = sg::block_header_bytes(plan.header.version);
  for (PlannedBlock& block : plan.blocks) {
    if (block.missing) continue;
    const std::uint64_t bytes = plan.payload_bytes(block);
    block.disk = static_cast<std::uint16_t>(placer.next(bytes));
    PlannedDisk& disk = plan.disks[block.disk];
    block.missing = disk.missing;
    if (block.missing) continue;
    ++disk.blocks;
    disk.file_bytes += header + bytes;
    plan.flat_bytes += bytes;
  }
}

}  // namespace

std::uint64_t SynthPlan::blocks_present() const {
  return static_cast<std::uint64_t>(std::count_if(
      blocks.begin(), blocks.end(), [](const PlannedBlock& block) { return !block.missing; }));
}

std::pair<std::uint64_t, std::uint64_t> SynthPlan::first_and_last() const {
  const auto present = [](const PlannedBlock& block) { return !block.missing; };
  const auto first = std::find_if(blocks.begin(), blocks.end(), present);
  const auto last = std::find_if(blocks.rbegin(), blocks.rend(), present);
  return {static_cast<std::uint64_t>(first - blocks.begin()),
          static_cast<std::uint64_t>(blocks.rend() - last - 1)};
}

std::vector<std::pair<std::uint64_t, std::uint64_t>> SynthPlan::missing_ranges() const {
  std::vector<std::pair<std::uint64_t, std::uint64_t>> ranges;
  const auto [first, last] = first_and_last();
  for (std::uint64_t number = first; number < last; ++number) {
    if (!blocks[number].missing) continue;
    if (ranges.empty() || ranges.back().second + 1 != number) ranges.emplace_back(number, number);
    ranges.back().second = number;
  }
  return ranges;
}

std::optional<std::uint64_t> SynthPlan::flat_offset(std::uint64_t position) const {
  std::uint64_t before = 0;
  for (const PlannedBlock& block : blocks) {
    if (position < block.first_frame + block.frames) {
      if (block.missing) return std::nullopt;
      const std::uint64_t inside = position - block.first_frame;
      return before + inside * static_cast<std::uint32_t>(header.packet_size);
    }
    if (!block.missing) before += payload_bytes(block);
  }
  return std::nullopt;
}

Result<SynthPlan> make_plan(const SynthOptions& options) {
  SynthPlan plan;
  auto disks = plan_disks(options);
  if (!disks) return Failure(disks.error());
  plan.disks = std::move(*disks);
  const auto slowness = slowness_of(options, plan.disks.size());
  if (!slowness) return Failure(slowness.error());
  const auto full = packets_per_block(options);
  if (!full) return Failure(full.error());
  plan.header.version = options.sg_version;
  plan.header.packet_size = static_cast<std::int32_t>(options.packet_bytes);
  plan.header.block_size = static_cast<std::int32_t>(std::uint64_t{*full} * options.packet_bytes +
                                                     sg::block_header_bytes(options.sg_version));

  auto sound = mark_missing_disks(options, plan.disks);
  if (sound) sound = cut_into_blocks(options, *full, plan);
  if (sound) sound = mark_missing_blocks(options, plan);
  if (!sound) return Failure(sound.error());
  auto faults = FaultPlan::make(options.faults, plan.frames, options.threads, options.seed);
  if (!faults) return Failure(faults.error());
  plan.faults = std::move(*faults);
  Placer placer(options.placement, *slowness, options.seed);
  place_blocks(placer, plan);
  if (plan.flat_bytes == 0) {
    return cannot("--missing-block, --missing-disk", "nothing is left to write",
                  "at least one block on a disk that is there");
  }
  return plan;
}

}  // namespace mark6::synth
