// SPDX-License-Identifier: MIT
#include "common/account/device_identity.hpp"

#include <algorithm>
#include <filesystem>

#include "common/account/mount_table.hpp"

namespace mark6 {
namespace {

// A stack of devices is a few high; more than this is a circle or a hostile tree.
constexpr int kMostLevels = 8;
constexpr int kMostDevices = 256;

std::string file_name(const std::string& path) { return path.substr(path.rfind('/') + 1); }
std::string folder(const std::string& path) { return path.substr(0, path.rfind('/')); }

/// In /sys a '/' in a name (cciss/c0d0) is written '!'; /proc/diskstats and /dev have it plain.
std::string plain_name(std::string name) {
  std::replace(name.begin(), name.end(), '!', '/');
  return printable_name(name).value_or("?");
}

class StackReader {
 public:
  explicit StackReader(const SystemRoots& roots) : roots_(roots), sys_(roots.sys) {}

  DeviceIdentity device(DeviceNumber number, int levels_left = kMostLevels);
  /// What `file` stands on, for which stat says `number`.
  DeviceIdentity file(const std::string& file, DeviceNumber number, int levels_left = kMostLevels);

 private:
  void below(const std::string& disk_dir, DeviceIdentity& identity, int levels_left);
  std::optional<DeviceNumber> device_of_mount(const Mount& mount) const;
  std::optional<DeviceNumber> device_of_node(const std::string& source) const;
  std::optional<DeviceNumber> common_device(const std::vector<std::string>& paths) const;
  const std::vector<Mount>& mounts();

  const SystemRoots& roots_;
  SysTree sys_;
  std::optional<std::vector<Mount>> mounts_;
  int devices_left_ = kMostDevices;
};

const std::vector<Mount>& StackReader::mounts() {
  constexpr std::size_t kMostBytes = std::size_t{4} << 20U;
  if (!mounts_) {
    mounts_ = parse_mounts(
        read_bounded(roots_.proc + "/self/mountinfo", kMostBytes).value_or(std::string()));
  }
  return *mounts_;
}

/// `source` is a name below /dev: by its node, or by the name its links lead to.
std::optional<DeviceNumber> StackReader::device_of_node(const std::string& source) const {
  constexpr std::string_view kDev = "/dev/";
  if (!source.starts_with(kDev)) return std::nullopt;
  const auto node = resolve_inside(roots_.dev, roots_.dev + "/" + source.substr(kDev.size()));
  std::error_code error;
  if (node && std::filesystem::is_block_file(*node, error)) {
    if (const auto number = device_of_path(*node)) return *number;
  }
  const std::string name = node ? file_name(*node) : file_name(source);
  return sys_.device("class/block/" + name);
}

std::optional<DeviceNumber> StackReader::common_device(
    const std::vector<std::string>& paths) const {
  std::optional<DeviceNumber> common;
  for (const std::string& path : paths) {
    // Relative names of layers belong to whoever mounted it.
    const auto number =
        path.starts_with('/') ? roots_.device_of(path) : Result<DeviceNumber>(DeviceNumber{});
    if (!number || number->anonymous() || (common && *common != *number)) return std::nullopt;
    common = *number;
  }
  return common;
}

std::optional<DeviceNumber> StackReader::device_of_mount(const Mount& mount) const {
  if (mount.file_system == "overlay") return common_device(overlay_layers(mount.options));
  return device_of_node(mount.source);
}

DeviceIdentity StackReader::file(const std::string& file, DeviceNumber number, int levels_left) {
  const Mount* mount = mount_of(mounts(), file, number);
  std::optional<DeviceNumber> block = number;
  if (number.anonymous()) block = mount != nullptr ? device_of_mount(*mount) : std::nullopt;
  DeviceIdentity identity = block ? device(*block, levels_left) : DeviceIdentity{};
  if (mount != nullptr) {
    identity.file_system = mount->file_system;
    identity.mount_source = mount->source;
  }
  return identity;
}

DeviceIdentity StackReader::device(DeviceNumber number, int levels_left) {
  DeviceIdentity identity;
  if (number.anonymous()) return identity;
  identity.number = number;
  const auto dir = sys_.resolve("dev/block/" + to_string(number));
  if (!dir) return identity;
  std::string disk_dir = *dir;
  if (sys_.text(*dir + "/partition")) {
    identity.partition = plain_name(file_name(*dir));
    disk_dir = folder(*dir);
    const auto whole = sys_.device(disk_dir);
    if (!whole) return identity;  // all we know is the partition
    identity.number = whole;
  }
  identity.kernel_name = plain_name(file_name(disk_dir));
  identity.facts = read_device_facts(sys_, disk_dir, *identity.number, roots_);
  if (levels_left > 0) below(disk_dir, identity, levels_left - 1);
  return identity;
}

void StackReader::below(const std::string& disk_dir, DeviceIdentity& identity, int levels_left) {
  constexpr std::size_t kLongestPath = 4096;
  identity.volume_name = sys_.name(disk_dir + "/dm/name");
  identity.backing_file = sys_.text(disk_dir + "/loop/backing_file", kLongestPath);
  if (identity.backing_file) {
    const auto number = roots_.device_of(*identity.backing_file);
    if (number && --devices_left_ > 0) {
      identity.below.push_back(file(*identity.backing_file, *number, levels_left));
    }
  }
  const std::string slaves = disk_dir + "/slaves/";
  for (const std::string& name : sys_.names_in(slaves)) {
    const auto number = sys_.device(slaves + name);
    if (number && --devices_left_ > 0) identity.below.push_back(device(*number, levels_left));
  }
}

void collect_disks(const DeviceIdentity& identity, std::vector<const DeviceIdentity*>& disks) {
  for (const DeviceIdentity& device : identity.below) collect_disks(device, disks);
  if (!identity.below.empty()) return;
  const bool known = std::any_of(disks.begin(), disks.end(), [&](const DeviceIdentity* disk) {
    return identity.number && disk->number == identity.number;
  });
  if (!known) disks.push_back(&identity);
}

}  // namespace

Result<DeviceIdentity> identify_device_of(const std::string& path, const SystemRoots& roots) {
  const auto number = roots.device_of(path);
  if (!number) return Failure(number.error());
  std::error_code error;
  if (std::filesystem::is_block_file(path, error)) return identify_device(*number, roots);
  const auto real = std::filesystem::canonical(path, error);
  return StackReader(roots).file(error ? path : real.string(), *number);
}

DeviceIdentity identify_device(DeviceNumber number, const SystemRoots& roots) {
  return StackReader(roots).device(number);
}

std::optional<DeviceNumber> kernel_disk_of(const DeviceIdentity& identity) {
  return identity.number;
}

std::vector<const DeviceIdentity*> physical_disks(const DeviceIdentity& identity) {
  std::vector<const DeviceIdentity*> disks;
  collect_disks(identity, disks);
  return disks;
}

}  // namespace mark6
