// SPDX-License-Identifier: MIT
#include "gather/follow.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <climits>
#include <memory>
#include <utility>

#include "common/base/clock.hpp"

namespace mark6::gather {
namespace {

bool before(const sg::BlockPlace& block, std::int32_t number) {
  return block.number.value < number;
}

/// The blocks up to the one numbered `last`, as a walk would give them.
sg::Fragment fragment_up_to(const sg::FragmentTail& tail, std::uint64_t file_bytes,
                            std::int32_t last) {
  sg::Fragment fragment;
  fragment.file_bytes = file_bytes;
  fragment.kind = sg::FragmentKind::kEmpty;
  if (!tail.header()) return fragment;
  fragment.kind = sg::FragmentKind::kScatterGather;
  fragment.header = *tail.header();
  fragment.packet_size = static_cast<std::uint32_t>(std::max(fragment.header.packet_size, 0));
  const auto& blocks = tail.blocks();
  const auto end = std::partition_point(
      blocks.begin(), blocks.end(),
      [last](const sg::BlockPlace& block) { return block.number.value <= last; });
  fragment.blocks.assign(blocks.begin(), end);
  return fragment;
}

Failure late_block(const std::string& name) {
  return failure(ErrorCode::kBadFormat, name,
                 "a block turned up whose place in the stream had been passed",
                 "blocks of one recording, their numbers ascending in each fragment",
                 "gather the scan anew without --follow");
}

}  // namespace

Follower::Follower(const Options& options, const Environment& environment)
    : options_(options), environment_(environment), changed_ns_(monotonic_ns()) {}

Result<OpenedScanPtr> Follower::look(Inputs& inputs) {
  auto found = find_scan(options_, environment_);
  if (!found) return Failure(found.error());
  inputs.catalog = std::move(found->catalog);
  inputs.scan = std::move(found->scan);
  auto scan = std::make_shared<OpenedScan>();
  scan->name = inputs.scan.name;
  scan->fragments = inputs.scan.fragments;
  scan->files.resize(scan->fragments.size());
  const std::size_t known = watched_.size();
  std::size_t seen = 0;
  for (std::size_t i = 0; i < scan->fragments.size(); ++i) {
    if (watched_.contains(scan->fragments[i].path)) ++seen;
    if (auto looked = look_at(scan->fragments[i], scan->files[i]); !looked) {
      return Failure(looked.error());
    }
  }
  if (seen < known) {
    return failure(ErrorCode::kIo, scan->name, "a fragment has gone while the scan was followed");
  }
  if (auto advanced = advance(); !advanced) return Failure(advanced.error());
  std::vector<sg::Fragment> fragments;
  for (std::size_t i = 0; i < scan->fragments.size(); ++i) {
    fragments.push_back(
        fragment_up_to(watched_[scan->fragments[i].path].tail, scan->files[i]->size(), last_));
  }
  scan->index = sg::ScanIndex::merge(std::move(fragments));
  if (scan->index.block_count() != blocks_ || scan->index.size_bytes() < bytes_) {
    return late_block(scan->name);
  }
  bytes_ = scan->index.size_bytes();
  return OpenedScanPtr(std::move(scan));
}

Result<void> Follower::look_at(const FragmentPath& fragment, std::optional<DataFile>& file) {
  auto opened = DataFile::open(fragment.path);
  if (!opened) return Failure(opened.error());
  const FileIdentity& now = opened->identity();
  const auto [entry, is_new] = watched_.try_emplace(fragment.path);
  Watched& watched = entry->second;
  if (!is_new && (now.device != watched.identity.device || now.inode != watched.identity.inode)) {
    return failure(ErrorCode::kIo, fragment.path, "has been replaced while it was followed",
                   "the file that the recorder writes", "gather the scan anew");
  }
  if (now.size_bytes < watched.tail.end()) {
    return failure(ErrorCode::kIo, fragment.path,
                   fmt::format("was cut to {} bytes while it was followed", now.size_bytes),
                   fmt::format("at least the {} bytes of its complete blocks", watched.tail.end()),
                   "gather the scan anew");
  }
  if (is_new || !(now == watched.identity)) watched.changed_ns = changed_ns_ = monotonic_ns();
  watched.identity = now;
  const bool settled = monotonic_ns() - watched.changed_ns >= kSettledNs;
  if (auto looked = watched.tail.look(*opened, settled); !looked) return looked;
  file = std::move(*opened);
  return {};
}

std::vector<std::int32_t> Follower::numbers_from(std::int32_t number) const {
  std::vector<std::int32_t> numbers;
  for (const auto& [path, watched] : watched_) {
    const auto& blocks = watched.tail.blocks();
    for (auto at = std::lower_bound(blocks.begin(), blocks.end(), number, before);
         at != blocks.end(); ++at) {
      numbers.push_back(at->number.value);
    }
  }
  std::sort(numbers.begin(), numbers.end());
  return numbers;
}

/// Moves on over all blocks that are due. A number that is not there is passed when all fragments
/// are beyond it, and have been for a while: a new fragment may hold it.
Result<void> Follower::advance() {
  std::int32_t passed_by_all = watched_.empty() ? -1 : INT_MAX;
  for (const auto& [path, watched] : watched_) {
    const auto& blocks = watched.tail.blocks();
    passed_by_all = std::min(passed_by_all, blocks.empty() ? -1 : blocks.back().number.value);
  }
  const std::int64_t now_ns = monotonic_ns();
  for (const std::int32_t number : numbers_from(last_ + 1)) {
    if (number == last_) return late_block(options_.arguments.front());  // stands there twice
    if (number > last_ + 1) {
      if (!gap_since_ns_) gap_since_ns_ = now_ns;
      if (last_ + 1 > passed_by_all || now_ns - *gap_since_ns_ < kMissingNs) return {};
    }
    gap_since_ns_.reset();
    last_ = number;
    ++blocks_;
  }
  return {};
}

bool Follower::is_over(const Inputs& inputs) const {
  const std::int64_t quiet_ns = monotonic_ns() - changed_ns_;
  if (quiet_ns >= options_.follow_timeout_ns) return true;
  if (quiet_ns < kSettledNs) return false;
  std::string name = inputs.scan.name;
  if (name.ends_with(".vdif")) name.resize(name.size() - 5);
  bool listed = false;
  for (const DiskMetadata& disk : read_metadata(inputs.catalog)) {
    for (const ScanRecord& record : disk.scans) {
      if (record.name != name) continue;
      if (record.status != "recorded") return false;
      listed = true;
    }
  }
  return listed;
}

Result<void> Follower::check_beginning(const OpenedScan& scan) const {
  const sg::ScanIndex& index = scan.index;
  const bool ends_there = index.block_count() == blocks_ && index.size_bytes() == bytes_;
  const bool goes_on = index.block_count() > blocks_ &&
                       index.block(blocks_).scan_offset.value == bytes_ &&
                       index.block(blocks_).number.value > last_;
  if (!ends_there && !goes_on) return late_block(scan.name);
  return {};
}

}  // namespace mark6::gather
