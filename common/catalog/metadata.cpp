// SPDX-License-Identifier: MIT
// The short metadata files; slist has a parser of its own (slist.cpp).
#include "common/catalog/metadata.hpp"

#include <algorithm>
#include <charconv>
#include <utility>

#include "common/os/file.hpp"

namespace mark6 {
namespace {

constexpr std::size_t kMaxShortFileBytes = std::size_t{64} << 10;
constexpr std::size_t kMaxMsnBytes = 32;
constexpr std::size_t kMaxListEntries = 256;

std::string_view trimmed(std::string_view text) {
  constexpr std::string_view kSpace(" \t\r\n\0", 5);
  const std::size_t first = text.find_first_not_of(kSpace);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(kSpace) - first + 1);
}

/// Takes `text` up to the next `separator` away, and the separator with it.
std::string_view take_until(std::string_view& text, char separator) {
  const std::size_t end = text.find(separator);
  const std::string_view part = text.substr(0, end);
  text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  return trimmed(part);
}

std::optional<std::uint32_t> number_of(std::string_view text) {
  std::uint32_t value = 0;
  const auto [end, status] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (text.empty() || status != std::errc() || end != text.data() + text.size())
    return std::nullopt;
  return value;
}

bool printable(std::string_view text) {
  return std::all_of(text.begin(), text.end(), [](char c) { return c > ' ' && c < 0x7F; });
}

Failure bad(std::string_view text, std::string expected) {
  constexpr std::size_t kShown = 40;
  std::string found = "\"" + std::string(text.substr(0, kShown));
  found += text.size() > kShown ? "...\"" : "\"";
  return failure(ErrorCode::kBadFormat, {}, std::move(found), std::move(expected));
}

/// The text of `directory`/`name` when it is there; a read error becomes a problem.
std::optional<std::string> read_one(const std::string& directory, const char* name,
                                    std::size_t limit_bytes, DiskMetadata& metadata) {
  auto text = read_small_file(directory + "/" + name, limit_bytes);
  if (text) return std::move(*text);
  if (text.error().code != ErrorCode::kNotFound) {
    metadata.problems.push_back(describe(text.error()));
  }
  return std::nullopt;
}

/// Reads and parses one file into `into`; what is wrong becomes a problem that names the file.
template <class T>
void load(const std::string& directory, const char* name, std::size_t limit_bytes,
          Result<T> (*parse)(std::string_view), DiskMetadata& metadata, auto& into) {
  const auto text = read_one(directory, name, limit_bytes, metadata);
  if (!text) return;
  auto parsed = parse(*text);
  if (parsed) {
    into = std::move(*parsed);
    return;
  }
  Error error = parsed.error();
  error.path = directory + "/" + name;
  error.advice = "the file is ignored";
  metadata.problems.push_back(describe(error));
}

}  // namespace

Result<ModuleSerial> parse_emsn(std::string_view text) {
  constexpr const char* kExpected = "<MSN>/<capacity GB>/<rate Gbit/s>/<disks>";
  std::string_view rest = trimmed(text);
  ModuleSerial serial;
  const std::string_view msn = take_until(rest, '/');
  if (msn.empty() || msn.size() > kMaxMsnBytes || !printable(msn)) return bad(text, kExpected);
  serial.msn = msn;
  serial.capacity_gb = number_of(take_until(rest, '/'));
  serial.rate_gbps = number_of(take_until(rest, '/'));
  serial.disks = number_of(take_until(rest, '/'));
  if (!rest.empty()) return bad(text, kExpected);
  return serial;
}

Result<std::vector<ModuleSerial>> parse_group(std::string_view text) {
  std::string_view rest = trimmed(text);
  std::vector<ModuleSerial> group;
  for (bool first = true; !rest.empty(); first = false) {
    const std::string_view part = take_until(rest, ':');
    // The count in front is not believed: the serials that follow are what counts.
    if (part.empty() || (first && number_of(part))) continue;
    auto serial = parse_emsn(part);
    if (!serial || group.size() >= kMaxListEntries) {
      return bad(text, "<number of modules>:<eMSN>[:<eMSN>...]");
    }
    group.push_back(std::move(*serial));
  }
  if (group.empty()) return bad(text, "<number of modules>:<eMSN>[:<eMSN>...]");
  return group;
}

Result<std::map<std::uint32_t, std::string>> parse_disk_sn(std::string_view text) {
  std::map<std::uint32_t, std::string> serials;
  std::string_view rest = trimmed(text);
  while (!rest.empty()) {
    std::string_view line = take_until(rest, '\n');
    if (line.empty()) continue;
    const std::string_view whole = line;
    const auto index = number_of(take_until(line, ':'));
    if (!index || !printable(trimmed(line)) || serials.size() >= kMaxListEntries) {
      return bad(whole, "lines <disk>:<serial number>");
    }
    serials[*index] = trimmed(line);
  }
  return serials;
}

DiskMetadata read_disk_metadata(const std::string& directory) {
  DiskMetadata metadata;
  load(directory, "eMSN", kMaxShortFileBytes, parse_emsn, metadata, metadata.serial);
  load(directory, "group", kMaxShortFileBytes, parse_group, metadata, metadata.group);
  load(directory, "disk_sn", kMaxShortFileBytes, parse_disk_sn, metadata, metadata.disk_serials);
  // One byte more than is allowed, so that the parser sees that there is too much.
  load(directory, "slist", kMaxMetadataBytes + 1, parse_slist, metadata, metadata.scans);
  if (const auto state = read_one(directory, "state", kMaxShortFileBytes, metadata)) {
    metadata.state = trimmed(*state);
  }
  return metadata;
}

}  // namespace mark6
