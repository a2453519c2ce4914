// SPDX-License-Identifier: MIT
#include "tools/diagnose_recorder.hpp"

#include <algorithm>
#include <filesystem>
#include <numeric>
#include <set>
#include <string>

#include "common/account/recorder_share.hpp"

namespace mark6 {
namespace {

/// Two modules "1" below different roots differ.
std::string module_key(const Disk& disk) {
  std::filesystem::path home = disk.directory;
  if (home.filename() == "data") home = home.parent_path();
  return home.parent_path().string() + '\n' + disk.module;
}

bool complete(const Scan& scan, const BlocksOfScan& blocks) {
  return std::all_of(scan.fragments.begin(), scan.fragments.end(),
                     [&](const FragmentPath& f) { return blocks.contains(f.disk.value); });
}

}  // namespace

std::vector<std::size_t> largest_scans(const Catalog& catalog, std::size_t at_most) {
  std::vector<std::uint64_t> bytes;
  for (const Scan& scan : catalog.scans) {
    bytes.push_back(std::accumulate(
        scan.fragments.begin(), scan.fragments.end(), std::uint64_t{0},
        [](std::uint64_t sum, const FragmentPath& f) { return sum + f.size_bytes; }));
  }
  std::vector<std::size_t> order(catalog.scans.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return bytes[a] > bytes[b]; });
  order.resize(std::min(order.size(), at_most));
  return order;
}

std::uint64_t blocks_by_size(const sg::FileHeader& header, std::uint64_t file_bytes) {
  if (header.block_size <= static_cast<std::int32_t>(sg::block_header_bytes(header.version)) ||
      file_bytes <= sg::kFileHeaderBytes) {
    return 0;
  }
  const auto block = static_cast<std::uint64_t>(header.block_size);
  return (file_bytes - sg::kFileHeaderBytes + block - 1) / block;
}

void add_recorder_evidence(const Catalog& catalog, const std::map<std::size_t, BlocksOfScan>& scans,
                           std::vector<DiskUnderTest>& disks) {
  std::map<std::string, std::set<std::size_t>> scans_of_module;
  std::vector<std::uint64_t> blocks(catalog.disks.size(), 0);
  for (const auto& [scan, counts] : scans) {
    if (!complete(catalog.scans[scan], counts)) continue;
    for (const auto& [disk, count] : counts) {
      blocks[disk] += count;
      scans_of_module[module_key(catalog.disks[disk])].insert(scan);
    }
  }
  for (DiskUnderTest& disk : disks) {
    const auto own = scans_of_module.find(module_key(catalog.disks[disk.disk.value]));
    if (own == scans_of_module.end()) continue;
    std::vector<DiskActivity> peers;
    std::size_t place = 0;
    std::uint64_t all = 0;
    for (std::size_t i = 0; i < catalog.disks.size(); ++i) {
      const auto module = scans_of_module.find(module_key(catalog.disks[i]));
      if (module == scans_of_module.end() || module->second != own->second) continue;
      if (i == disk.disk.value) place = peers.size();
      peers.emplace_back();
      peers.back().blocks = blocks[i];
      all += blocks[i];
    }
    disk.blocks = blocks[disk.disk.value];
    if (all > 0) {
      disk.block_share = static_cast<double>(*disk.blocks) / static_cast<double>(all);
    }
    DiskVerdict verdict;
    add_recorder_share(peers, place, verdict);
    disk.slow_while_recording = verdict.slow_while_recording;
    disk.recording = verdict.recording;
  }
}

}  // namespace mark6
