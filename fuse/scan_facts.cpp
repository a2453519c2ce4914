// SPDX-License-Identifier: MIT
#include "fuse/scan_facts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <ctime>
#include <limits>
#include <set>

#include "common/base/clock.hpp"
#include "common/base/log.hpp"
#include "common/base/time_text.hpp"
#include "fuse/scan_damage.hpp"

namespace mark6 {
namespace {

constexpr blksize_t kBlockSizeHint = blksize_t{1} << 20;

/// Start of the scan, as true as it can be told: the frames, the recorder's list, the file's date.
timespec start_of(const OpenedScan& opened, const ScanFacts& facts) {
  if (opened.start_unix_s) return {.tv_sec = *opened.start_unix_s, .tv_nsec = 0};
  constexpr double kLast = 4e9;
  if (facts.recorded_start && *facts.recorded_start > 0 && *facts.recorded_start < kLast) {
    return {.tv_sec = static_cast<time_t>(std::llround(*facts.recorded_start)), .tv_nsec = 0};
  }
  if (facts.scan.fragments.empty()) return {};
  return {.tv_sec = facts.scan.fragments.front().mtime_s, .tv_nsec = 0};
}

/// The first fragment that could be opened, nullptr when there is none.
const FileIdentity* first_identity(const OpenedScan& opened) {
  const auto file = std::find_if(opened.files.begin(), opened.files.end(),
                                 [](const auto& candidate) { return candidate.has_value(); });
  return file == opened.files.end() ? nullptr : &(*file)->identity();
}

/// How long after the walk a file that has grown since is still taken for the same recording, as if
/// it had been open all the time.
constexpr std::int64_t kGrowingNs = 5'000'000'000;

bool has_grown(const FileIdentity& before, const FileIdentity& now) {
  return now.device == before.device && now.inode == before.inode && now.mode == before.mode &&
         now.owner == before.owner && now.group == before.group &&
         now.size_bytes > before.size_bytes;
}

/// Starts of the scans that the recorder's lists name, by name.
std::unordered_map<std::string, double> recorded_starts(const std::vector<DiskMetadata>& disks) {
  std::unordered_map<std::string, double> starts;
  for (const auto& disk : disks) {
    for (const auto& record : disk.scans) {
      if (record.start_unix_s) starts.emplace(record.name, *record.start_unix_s);
    }
  }
  return starts;
}

/// Labels of the disks of the scan's modules that have no fragment of it, comma separated.
std::string absent_disks(const Catalog& catalog, const Scan& scan) {
  std::set<std::string> modules;
  std::set<std::uint32_t> present;
  for (const auto& fragment : scan.fragments) {
    modules.insert(catalog.disks[fragment.disk.value].module);
    present.insert(fragment.disk.value);
  }
  std::vector<std::string> labels;
  for (std::uint32_t i = 0; i < catalog.disks.size(); ++i) {
    const Disk& disk = catalog.disks[i];
    if (modules.contains(disk.module) && !present.contains(i)) labels.push_back(disk.label());
  }
  return fmt::format("{}", fmt::join(labels, ","));
}

std::string without_suffix(const std::string& name) {
  constexpr std::string_view kSuffix = ".vdif";
  return name.ends_with(kSuffix) ? name.substr(0, name.size() - kSuffix.size()) : name;
}

}  // namespace

bool ScanFacts::same_files(const ScanFacts& other) const {
  return std::equal(scan.fragments.begin(), scan.fragments.end(), other.scan.fragments.begin(),
                    other.scan.fragments.end(), [](const auto& a, const auto& b) {
                      return a.path == b.path && a.size_bytes == b.size_bytes &&
                             a.identity == b.identity;
                    });
}

std::int64_t ScanFacts::changed_ns() const {
  std::int64_t youngest = 0;
  for (const auto& fragment : scan.fragments) {
    youngest = std::max({youngest, fragment.identity.mtime_ns, fragment.identity.ctime_ns});
  }
  return youngest;
}

std::uint64_t ScanFacts::fragment_bytes() const {
  std::uint64_t sum = 0;
  for (const auto& fragment : scan.fragments) sum += fragment.size_bytes;
  return sum;
}

std::uint64_t IndexedScan::memory_bytes() const {
  return index.extents().size_bytes() + fragments.size() * sizeof(FragmentPath);
}

ScanAttributes attributes_of(const OpenedScan& opened, const ScanFacts& facts, ino_t inode) {
  ScanAttributes attributes;
  struct stat& status = attributes.status;
  const FileIdentity* identity = first_identity(opened);
  status.st_ino = inode;
  status.st_mode = S_IFREG | (identity != nullptr ? identity->mode & 0444 : 0444);
  status.st_nlink = 1;
  if (identity != nullptr) {
    status.st_uid = identity->owner;
    status.st_gid = identity->group;
  }
  const std::uint64_t size =
      std::min<std::uint64_t>(opened.index.size_bytes(), std::numeric_limits<std::int64_t>::max());
  status.st_size = static_cast<off_t>(size);
  status.st_blocks = static_cast<blkcnt_t>(size / 512 + (size % 512 != 0 ? 1 : 0));
  status.st_blksize = kBlockSizeHint;
  status.st_atim = status.st_mtim = status.st_ctim = start_of(opened, facts);
  attributes.readable = identity != nullptr;
  attributes.problems = problems_of(opened, facts);
  attributes.complete = opened.index.state() == sg::ScanState::kComplete;

  const auto& index = opened.index;
  auto& xattrs = attributes.xattrs;
  xattrs.emplace_back("user.mark6.blocks", std::to_string(index.block_count()));
  xattrs.emplace_back("user.mark6.packet_size", std::to_string(index.packet_size()));
  xattrs.emplace_back("user.mark6.holes", holes_text(index));
  xattrs.emplace_back("user.mark6.state", std::string(to_string(index.state())));
  xattrs.emplace_back("user.mark6.damage", damage_text(opened, facts));
  if (!facts.modules.empty()) xattrs.emplace_back("user.mark6.modules", facts.modules);
  if (opened.start_unix_s) {
    xattrs.emplace_back("user.mark6.vdif_start", iso_time(*opened.start_unix_s));
  }
  return attributes;
}

IndexedScan indexed(const OpenedScan& opened) {
  IndexedScan scan{.index = opened.index,
                   .fragments = opened.fragments,
                   .identities = {},
                   .walked_ns = monotonic_ns()};
  scan.identities.reserve(opened.files.size());
  for (const auto& file : opened.files) {
    scan.identities.push_back(file ? std::optional(file->identity()) : std::nullopt);
  }
  return scan;
}

bool are_as_told(const FileStates& states, const ScanFacts& facts) {
  const auto& told = facts.scan.fragments;
  return std::equal(states.begin(), states.end(), told.begin(), told.end(),
                    [](const auto& state, const FragmentPath& fragment) {
                      return state &&
                             (*state == fragment.identity || has_grown(fragment.identity, *state));
                    });
}

FileStates states_now(const ScanFacts& facts) {
  FileStates states;
  states.reserve(facts.scan.fragments.size());
  for (const auto& fragment : facts.scan.fragments) {
    const auto file = DataFile::open(fragment.path);
    states.push_back(file ? std::optional(file->identity()) : std::nullopt);
  }
  return states;
}

Result<OpenFiles> open_files(const std::shared_ptr<const IndexedScan>& scan) {
  OpenFiles open{.scan = scan, .files = {}};
  open.files.resize(scan->fragments.size());
  const bool may_grow = monotonic_ns() - scan->walked_ns < kGrowingNs;
  for (std::size_t i = 0; i < scan->fragments.size(); ++i) {
    if (!scan->identities[i]) continue;  // its blocks are holes already
    auto file = DataFile::open(scan->fragments[i].path);
    if (!file) return Failure(file.error());
    const FileIdentity& before = *scan->identities[i];
    if (file->identity() != before && !(may_grow && has_grown(before, file->identity()))) {
      Error error{.code = ErrorCode::kBadFormat,
                  .path = scan->fragments[i].path,
                  .found = "the file has changed since mark6fs looked at it",
                  .advice = "mark6fs looks again",
                  .errno_value = ESTALE};
      return Failure(std::move(error));
    }
    open.files[i] = std::move(*file);
  }
  return open;
}

StreamSource stream_source(const std::shared_ptr<const OpenFiles>& files) {
  StreamSource source;
  source.keep_alive = files;
  source.index = &files->scan->index;
  source.files.resize(files->files.size());
  for (std::size_t i = 0; i < files->files.size(); ++i) {
    const auto& fragment = files->scan->fragments[i];
    StreamFile& file = source.files[i];
    file.path = fragment.path;
    file.disk = fragment.disk;
    if (!files->files[i]) continue;
    file.direct_fd = files->files[i]->direct_fd();
    file.buffered_fd = files->files[i]->buffered_fd();
    file.alignment = files->files[i]->direct_alignment();
  }
  return source;
}

Result<std::vector<ScanFacts>> find_scans(const CatalogSources& sources, DiskTable& disks,
                                          std::vector<std::string>& disk_directories) {
  auto catalog = discover(sources);
  if (!catalog) return Failure(catalog.error());
  for (const auto& problem : catalog->problems) spdlog::warn("{}", problem);
  const auto starts = recorded_starts(read_metadata(*catalog));
  std::vector<DiskIndex> numbers;
  for (const auto& disk : catalog->disks) {
    numbers.push_back(disks.index_of(disk.directory, disk.label()));
    disk_directories.push_back(disk.directory);
  }
  std::vector<ScanFacts> found;
  found.reserve(catalog->scans.size());
  for (auto& scan : catalog->scans) {
    ScanFacts facts;
    facts.absent_disks = absent_disks(*catalog, scan);
    std::set<std::string> modules;
    for (auto& fragment : scan.fragments) {
      modules.insert(catalog->disks[fragment.disk.value].module);
      facts.disk_labels.push_back(catalog->disks[fragment.disk.value].label());
      fragment.disk = numbers[fragment.disk.value];
    }
    modules.erase("");
    facts.modules = fmt::format("{}", fmt::join(modules, ","));
    const auto start = starts.find(without_suffix(scan.name));
    if (start != starts.end()) facts.recorded_start = start->second;
    facts.scan = std::move(scan);
    found.push_back(std::move(facts));
  }
  return found;
}

}  // namespace mark6
