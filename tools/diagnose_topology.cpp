// SPDX-License-Identifier: MIT
#include "tools/diagnose_topology.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <functional>
#include <map>
#include <optional>
#include <sstream>

#include "common/base/escape.hpp"

namespace mark6 {
namespace {

/// Something on the way to a disk: how it is called, and where it is (so that equal names in
/// different places differ).
struct Waypoint {
  std::string key;
  std::string words;
};

bool is_pci(const std::string& name) {  // "0000:03:00.0"
  return name.size() >= 12 && name[4] == ':' && name[7] == ':' && name[10] == '.';
}

/// What a directory of /sys/devices is, where people have a word for it.
std::optional<std::string> words_for(const std::string& name) {
  if (is_pci(name)) return "PCI device " + name;
  if (name.starts_with("expander-")) return "SAS expander " + name;
  if (name.starts_with("port-")) return "SAS port " + name + " (one cable)";
  if (name.starts_with("host")) return "SCSI host " + name;
  if (name.starts_with("ata")) return "SATA port " + name;
  if (name.starts_with("usb")) return "USB bus " + name;
  return std::nullopt;
}

void add_path(const std::string& sys_path, std::vector<Waypoint>& way) {
  std::istringstream parts(sys_path);
  std::string path;
  for (std::string name; std::getline(parts, name, '/');) {
    path += "/" + name;
    if (const auto words = words_for(name)) way.push_back({path, "are behind " + *words});
  }
}

void add_below(const DeviceIdentity& device, std::vector<Waypoint>& way) {
  for (const DeviceIdentity& below : device.below) {
    add_below(below, way);
    if (!below.kernel_name) continue;
    way.push_back({"on " + *below.kernel_name, "stand on " + *below.kernel_name});
  }
}

/// From the farthest to the nearest.
std::vector<Waypoint> way_to(const DiskUnderTest& disk) {
  std::vector<Waypoint> way;
  for (const DeviceIdentity* physical : physical_disks(disk.device)) {
    if (physical->facts.sys_path) add_path(*physical->facts.sys_path, way);
  }
  add_below(disk.device, way);
  if (disk.device.kernel_name) {  // two directories on one disk
    way.push_back({"on " + *disk.device.kernel_name, "lie on " + *disk.device.kernel_name});
  }
  return way;
}

bool leads_through(const std::vector<Waypoint>& way, const std::string& key) {
  return std::any_of(way.begin(), way.end(),
                     [&](const Waypoint& point) { return point.key == key; });
}

std::string place_words(const std::vector<DiskUnderTest>& disks,
                        const std::vector<std::size_t>& group) {
  const auto all = [&](const std::function<std::string(const DiskUnderTest&)>& of) {
    return std::all_of(group.begin(), group.end(),
                       [&](std::size_t i) { return of(disks[i]) == of(disks[group.front()]); });
  };
  if (all(lane_of)) return lane_of(disks[group.front()]);
  if (all([](const DiskUnderTest& disk) { return disk.module; })) {
    return "module " + escaped(disks[group.front()].module);
  }
  return {};
}

}  // namespace

std::string lane_of(const DiskUnderTest& disk) {
  constexpr unsigned kLane = 4;
  unsigned number = 0;
  const char* const end = disk.name.data() + disk.name.size();
  const auto [behind, error] = std::from_chars(disk.name.data(), end, number);
  std::string words = "module " + escaped(disk.module);
  if (error != std::errc{} || behind != end) return words;
  const unsigned first = number / kLane * kLane;
  return words + fmt::format(" lane {}-{}", first, first + kLane - 1);
}

std::string what_they_share(const std::vector<DiskUnderTest>& disks,
                            const std::vector<std::size_t>& group) {
  if (group.empty()) return {};
  std::vector<std::vector<Waypoint>> ways;
  ways.reserve(disks.size());
  for (const DiskUnderTest& disk : disks) ways.push_back(way_to(disk));
  const std::vector<Waypoint>& own = ways[group.front()];
  for (auto point = own.rbegin(); point != own.rend(); ++point) {
    const auto through = [&](std::size_t i) { return leads_through(ways[i], point->key); };
    if (!std::all_of(group.begin(), group.end(), through)) continue;
    std::size_t others = 0, with_it = 0;
    for (std::size_t i = 0; i < disks.size(); ++i) {
      if (std::find(group.begin(), group.end(), i) != group.end()) continue;
      ++others;
      if (through(i)) ++with_it;
    }
    if (others > 0 && with_it == others) break;  // farther ones are common to all as well
    const std::string rest =
        others == 0    ? ""
        : with_it == 0 ? ", and no other disk does"
                       : fmt::format(", and so do {} of the {} other disks", with_it, others);
    return "all " + escaped(point->words) + rest;
  }
  const std::string place = place_words(disks, group);
  if (place.empty()) return "nothing in /sys or in their places tells what they share";
  return "these disks only share " + place;
}

std::vector<std::string> disks_on_one_device(const std::vector<DiskUnderTest>& disks) {
  std::map<std::string, std::vector<std::string>> labels;
  for (const DiskUnderTest& disk : disks) {
    const auto& name = disk.device.kernel_name;
    if (name) labels[*name].push_back(escaped(disk.label));
  }
  std::vector<std::string> lines;
  for (const auto& [name, on_it] : labels) {
    if (on_it.size() < 2) continue;
    lines.push_back(
        fmt::format("{} all lie on {}: they are parts of one disk, and hold each other up",
                    fmt::join(on_it, ", "), escaped(name)));
  }
  return lines;
}

}  // namespace mark6
