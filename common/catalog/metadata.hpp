// SPDX-License-Identifier: MIT
// The metadata files of a module: eMSN, group, disk_sn, slist. They may be missing, stale or
// broken; the files on the disks are the truth. Parsers are pure, tolerant and bounded.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "common/base/error.hpp"

namespace mark6 {

/// `<MSN>/<capacity GB>/<data rate Gbit/s>/<number of disks>`, e.g. "LBO%0001/32000/4/8".
struct ModuleSerial {
  std::string msn;  ///< 8 characters, e.g. "LBO%0001"
  std::optional<std::uint32_t> capacity_gb;
  std::optional<std::uint32_t> rate_gbps;
  std::optional<std::uint32_t> disks;
  bool operator==(const ModuleSerial&) const = default;
};

/// One entry of slist; what was 'unk', None or missing is absent.
struct ScanRecord {
  std::string name;    ///< 'sn', without ".vdif"
  std::string status;  ///< "recorded", "pending", ...
  std::optional<double> start_unix_s;
  std::optional<double> duration_s;
  std::optional<double> size_gb;  ///< sum of fragment sizes, 1e9 bytes
  std::string create_time;        ///< as it stands there
};

/// Errors: kBadFormat.
Result<ModuleSerial> parse_emsn(std::string_view text);
Result<std::vector<ModuleSerial>> parse_group(std::string_view text);
Result<std::map<std::uint32_t, std::string>> parse_disk_sn(std::string_view text);

inline constexpr std::size_t kMaxMetadataBytes = std::size_t{16} << 20;
inline constexpr std::size_t kMaxScanRecords = 100'000;
inline constexpr std::size_t kMaxNesting = 16;

/// The text of a Python dict (or JSON) of scans: integer or string keys in any order, '..', "..",
/// u'..', numbers with L, None/True/False/null/true/false. Entries without 'sn' are left out.
/// Errors: kBadFormat with the byte position. Bounded by the caps above.
Result<std::vector<ScanRecord>> parse_slist(std::string_view text);

/// All that the metadata directory of one disk says. Missing files are absent, broken ones are
/// absent and named in `problems`.
struct DiskMetadata {
  std::optional<ModuleSerial> serial;
  std::vector<ModuleSerial> group;
  std::map<std::uint32_t, std::string> disk_serials;
  std::vector<ScanRecord> scans;
  std::string state;
  std::vector<std::string> problems;  ///< lines for an operator
};

/// Reads eMSN, group, disk_sn, slist and state below `directory`.
DiskMetadata read_disk_metadata(const std::string& directory);

}  // namespace mark6
