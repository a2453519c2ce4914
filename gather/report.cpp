// SPDX-License-Identifier: MIT
#include "gather/report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "common/base/clock.hpp"
#include "common/base/escape.hpp"
#include "common/base/units.hpp"

namespace mark6::gather {
namespace {

constexpr std::size_t kShownRanges = 8;
constexpr std::size_t kShownDamage = 8;
constexpr std::size_t kShownDisks = 3;

std::string why_unused(sg::FragmentUse use) {
  switch (use) {
    case sg::FragmentUse::kEmpty:
      return "empty fragment";
    case sg::FragmentUse::kUnreadable:
      return "cannot be read";
    case sg::FragmentUse::kDisagrees:
      return "left out: its header disagrees with the other fragments";
    case sg::FragmentUse::kNotScatterGather:
      return "left out: not a Mark6 fragment";
    case sg::FragmentUse::kUsed:
      break;
  }
  return {};
}

/// "2/5 /mnt/disks/2/5/data/SCAN.vdif".
std::string place_of(const OpenedScan& scan, const Catalog& catalog, std::size_t fragment) {
  const FragmentPath& path = scan.fragments[fragment];
  const std::string disk =
      path.disk.value < catalog.disks.size() ? catalog.disks[path.disk.value].label() + " " : "";
  return escaped(disk + path.path);
}

void add_damage(Losses& losses, std::string line) {
  losses.damage.push_back(std::move(line));
  ++losses.damage_count;
}

void add_fragment(Losses& losses, const OpenedScan& scan, const Catalog& catalog, std::size_t i) {
  const sg::FragmentSummary& fragment = scan.index.fragments()[i];
  const std::string place = place_of(scan, catalog, i);
  for (const sg::Damage& damage : fragment.damage) {
    losses.damage.push_back(fmt::format("{}: at byte {}: {}", place, damage.offset.value,
                                        escaped(sg::describe(damage))));
  }
  losses.damage_count += std::max<std::uint64_t>(fragment.damage_count, fragment.damage.size());
  // A fragment that could not be opened is in the list of those already.
  if (scan.files[i] && fragment.use != sg::FragmentUse::kUsed && fragment.damage.empty()) {
    add_damage(losses, place + ": " + why_unused(fragment.use));
  }
}

void add_duplicates(Losses& losses, const OpenedScan& scan, const Catalog& catalog) {
  for (const sg::Duplicate& twice : scan.index.duplicates()) {
    losses.damage.push_back(fmt::format(
        "block {} stands twice: delivered from {}, dropped from {}", twice.number.value,
        place_of(scan, catalog, twice.kept.value), place_of(scan, catalog, twice.dropped.value)));
  }
  losses.damage_count += scan.index.duplicate_count();
}

void add_missing(Losses& losses, const sg::ScanIndex& index, const Range& range) {
  if (range.empty()) return;
  const std::int32_t first = index.block(index.find(range.begin)).number.value;
  const std::int32_t last = index.block(index.find(range.end - 1)).number.value;
  losses.blocks = sg::BlockRange{BlockNumber(first), BlockNumber(last)}.count();
  for (const sg::BlockRange& missing : index.missing()) {
    if (missing.first.value < first || missing.last.value > last) continue;
    losses.missing.push_back(missing);
    losses.missing_blocks += missing.count();
  }
}

}  // namespace

Losses losses_of(const OpenedScan& scan, const Catalog& catalog, const Range& range) {
  Losses losses;
  add_missing(losses, scan.index, range);
  for (const std::string& problem : scan.open_problems) add_damage(losses, escaped(problem));
  for (std::size_t i = 0; i < scan.index.fragments().size(); ++i) {
    add_fragment(losses, scan, catalog, i);
  }
  add_duplicates(losses, scan, catalog);
  return losses;
}

void add_unread(Losses& losses, const Unread& unread, const OpenedScan& scan,
                const Catalog& catalog) {
  losses.unread_bytes += unread.bytes;
  losses.unread_places += unread.places;
  for (const Error& error : unread.errors) {
    std::string place = escaped(error.path);
    for (std::size_t i = 0; i < scan.fragments.size(); ++i) {
      if (scan.fragments[i].path == error.path) place = place_of(scan, catalog, i);
    }
    losses.unread.push_back(fmt::format("{}: {}", place, escaped(error.found)));
  }
}

std::string losses_text(const Losses& losses, bool verbose) {
  std::string text;
  const std::size_t ranges = verbose ? std::numeric_limits<std::size_t>::max() : kShownRanges;
  const std::size_t lines = verbose ? losses.damage.size() : kShownDamage;
  if (losses.missing_blocks > 0) {
    text += fmt::format(
        "  holes: {} of {} blocks missing ({:.2g} %): {}\n", losses.missing_blocks, losses.blocks,
        100.0 * static_cast<double>(losses.missing_blocks) / static_cast<double>(losses.blocks),
        ranges_text(losses.missing, ranges));
  } else {
    text += "  holes: none\n";
  }
  for (std::size_t i = 0; i < std::min(lines, losses.damage.size()); ++i) {
    text += "  damage: " + losses.damage[i] + "\n";
  }
  if (losses.damage_count > std::min(lines, losses.damage.size())) {
    text += fmt::format("  damage: {} more\n",
                        losses.damage_count - std::min(lines, losses.damage.size()));
  }
  if (losses.unread_places > 0) {
    text += fmt::format("  unreadable: {} bytes left out, in {} place{}\n", losses.unread_bytes,
                        losses.unread_places, losses.unread_places == 1 ? "" : "s");
    const std::size_t shown =
        std::min(verbose ? losses.unread.size() : kShownDamage, losses.unread.size());
    for (std::size_t i = 0; i < shown; ++i) text += "  unreadable: " + losses.unread[i] + "\n";
    if (losses.unread_places > shown) {
      text += fmt::format("  unreadable: {} places more\n", losses.unread_places - shown);
    }
  }
  return text;
}

std::string delivery_text(const StreamLabels& labels, const StreamSample& end,
                          std::int64_t opening_ns) {
  const double elapsed_s = seconds(end.time.elapsed_ns);
  return fmt::format(
      "{}: {} bytes ({}) in {}, {}; opened in {}\n  time: {}\n", escaped(labels.scan), end.bytes,
      format_bytes(end.bytes), format_duration(elapsed_s), format_rate(end.bytes, elapsed_s),
      format_duration(seconds(opening_ns)), time_account(end.time, labels.disks, kShownDisks));
}

std::string disks_text(const StreamLabels& labels, const ReadEngine& engine, std::int64_t now_ns) {
  std::string text;
  for (std::size_t i = 0; i < engine.disks(); ++i) {
    const auto disk = engine.counters(DiskIndex(static_cast<std::uint32_t>(i))).snapshot(now_ns);
    if (disk.requests == 0) continue;
    text += fmt::format(
        "  disk {}: {} requests, {}, {} while busy, latency p50 {:.1f} ms, p99 {:.1f} ms, "
        "max {:.1f} ms, errors {}\n",
        i < labels.disks.size() ? escaped(labels.disks[i]) : std::to_string(i), disk.requests,
        format_bytes(disk.bytes), format_rate(disk.bytes, seconds(disk.busy_ns)),
        1e3 * seconds(disk.latency_p50_ns), 1e3 * seconds(disk.latency_p99_ns),
        1e3 * seconds(disk.latency_max_ns), disk.errors);
  }
  return text;
}

}  // namespace mark6::gather
