// SPDX-License-Identifier: MIT
#include "common/account/disk_stats.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>
#include <span>

#include "common/account/system_files.hpp"
#include "common/base/clock.hpp"

namespace mark6 {
namespace {

constexpr std::size_t kMostFields = 20;
constexpr std::size_t kNameField = 2;
constexpr std::size_t kInFlightField = 11;
constexpr std::string_view kSpaces = " \t\r";

/// The fields of a line, at most kMostFields of them.
std::span<std::string_view> split(std::string_view line,
                                  std::array<std::string_view, kMostFields>& fields) {
  std::size_t count = 0;
  while (count < kMostFields) {
    const auto first = line.find_first_not_of(kSpaces);
    if (first == std::string_view::npos) break;
    line.remove_prefix(first);
    const auto field = line.substr(0, line.find_first_of(kSpaces));
    fields[count++] = field;
    line.remove_prefix(field.size());
  }
  return std::span(fields).first(count);
}

std::optional<std::uint64_t> number(std::string_view text) {
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

KindCounters kind(std::span<const std::uint64_t> values) {
  return {values[0], values[1], values[2], values[3]};
}

std::optional<DiskCounters> parse_line(std::string_view line) {
  std::array<std::string_view, kMostFields> storage;
  const auto fields = split(line, storage);
  constexpr std::size_t kOldFields = 14;
  constexpr std::size_t kDiscardFields = 18;
  if (fields.size() < kOldFields) return std::nullopt;

  std::array<std::uint64_t, kMostFields> values{};
  for (std::size_t i = 0; i < fields.size(); ++i) {
    if (i == kNameField) continue;
    const bool negative = i == kInFlightField && fields[i].starts_with('-');
    const auto value = number(negative ? fields[i].substr(1) : fields[i]);
    if (!value) return std::nullopt;
    values[i] = negative ? 0 : *value;
  }
  if (values[0] > UINT32_MAX || values[1] > UINT32_MAX) return std::nullopt;

  DiskCounters disk;
  disk.number = {static_cast<unsigned>(values[0]), static_cast<unsigned>(values[1])};
  disk.name = std::string(fields[kNameField]);
  const std::span<const std::uint64_t> all(values);
  disk.reads = kind(all.subspan(3));
  disk.writes = kind(all.subspan(7));
  disk.in_flight = values[kInFlightField];
  disk.busy_ms = values[12];
  disk.queue_ms = values[13];
  disk.fields = static_cast<std::uint32_t>(kOldFields);
  if (fields.size() >= kDiscardFields) {
    disk.discards = kind(all.subspan(kOldFields));
    disk.fields = static_cast<std::uint32_t>(kDiscardFields);
  }
  if (fields.size() >= kMostFields) {
    disk.flushes = values[18];
    disk.flush_ms = values[19];
    disk.fields = static_cast<std::uint32_t>(kMostFields);
  }
  return disk;
}

}  // namespace

const DiskCounters* DiskStats::find(DeviceNumber number) const {
  const auto it = std::find_if(disks.begin(), disks.end(),
                               [&](const DiskCounters& disk) { return disk.number == number; });
  return it == disks.end() ? nullptr : &*it;
}

const DiskCounters* DiskStats::find(std::string_view name) const {
  const auto it = std::find_if(disks.begin(), disks.end(),
                               [&](const DiskCounters& disk) { return disk.name == name; });
  return it == disks.end() ? nullptr : &*it;
}

std::vector<DiskCounters> parse_diskstats(std::string_view text) {
  std::vector<DiskCounters> disks;
  for (auto end = text.find('\n'); end != std::string_view::npos; end = text.find('\n')) {
    if (auto disk = parse_line(text.substr(0, end))) disks.push_back(std::move(*disk));
    text.remove_prefix(end + 1);
  }
  return disks;
}

Result<DiskStats> DiskStatsReader::read() const {
  constexpr std::size_t kMostBytes = std::size_t{4} << 20U;
  DiskStats stats;
  stats.taken_ns = monotonic_ns();
  const auto text = read_bounded(path_, kMostBytes);
  if (!text) {
    return failure(ErrorCode::kNotFound, path_, "cannot be read",
                   "the kernel's counters of all block devices", "mount /proc");
  }
  stats.disks = parse_diskstats(*text);
  return stats;
}

}  // namespace mark6
