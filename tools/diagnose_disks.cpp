// SPDX-License-Identifier: MIT
#include "tools/diagnose_disks.hpp"

#include <algorithm>
#include <filesystem>

namespace mark6 {
namespace {

namespace fs = std::filesystem;

std::optional<fs::path> canonical(const std::string& path) {
  std::error_code error;
  fs::path real = fs::canonical(path, error);
  return error ? std::nullopt : std::optional(std::move(real));
}

bool lies_in(const fs::path& path, const fs::path& directory) {
  return std::mismatch(directory.begin(), directory.end(), path.begin(), path.end()).first ==
         directory.end();
}

bool is_device(const DeviceIdentity& device, const std::string& word) {
  const std::string name = word.starts_with("/dev/") ? word.substr(5) : word;
  return !name.empty() && (device.kernel_name == name || device.partition == name);
}

bool means(const std::string& word, const DiskUnderTest& disk) {
  if (word == disk.label || word == disk.module || (!disk.msn.empty() && word == disk.msn)) {
    return true;
  }
  if (is_device(disk.device, word)) return true;
  if (word.find('/') == std::string::npos) return false;
  const auto asked = canonical(word);
  const auto own = canonical(disk.directory);
  return asked && own && lies_in(*own, *asked);
}

DiskUnderTest under_test(const Catalog& catalog, std::size_t i, const DiskMetadata& metadata) {
  const Disk& disk = catalog.disks[i];
  DiskUnderTest test{.disk = DiskIndex(static_cast<std::uint32_t>(i)),
                     .module = disk.module,
                     .name = disk.name,
                     .label = disk.label(),
                     .msn = metadata.serial ? metadata.serial->msn : std::string(),
                     .directory = disk.directory,
                     .device = {}};
  // Not to know the device is no reason not to measure the disk.
  if (auto device = identify_device_of(disk.directory)) test.device = std::move(*device);
  return test;
}

}  // namespace

std::vector<DiskUnderTest> select_disks(const Catalog& catalog,
                                        const std::vector<DiskMetadata>& metadata,
                                        const std::vector<std::string>& words,
                                        std::vector<std::string>& unknown) {
  std::vector<DiskUnderTest> all;
  for (std::size_t i = 0; i < catalog.disks.size(); ++i) {
    all.push_back(under_test(catalog, i, metadata[i]));
  }
  if (words.empty()) return all;
  std::vector<bool> wanted(all.size(), false);
  for (const std::string& word : words) {
    bool found = false;
    for (std::size_t i = 0; i < all.size(); ++i) {
      if (!means(word, all[i])) continue;
      wanted[i] = true;
      found = true;
    }
    if (!found) unknown.push_back(word);
  }
  std::vector<DiskUnderTest> selected;
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (wanted[i]) selected.push_back(std::move(all[i]));
  }
  return selected;
}

}  // namespace mark6
