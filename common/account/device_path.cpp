// SPDX-License-Identifier: MIT
#include "common/account/device_path.hpp"

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

namespace mark6 {
namespace {

bool digit(char c) { return c >= '0' && c <= '9'; }

/// `prefix` and a number: "ata5" is numbered("ata"), "ata_link" is not.
bool numbered(std::string_view name, std::string_view prefix) {
  return name.size() > prefix.size() && name.starts_with(prefix) &&
         std::all_of(name.begin() + static_cast<std::ptrdiff_t>(prefix.size()), name.end(), digit);
}

/// Runs of digits (hexadecimal where `hex`), separated by exactly the characters of `separators`.
bool digits_and(std::string_view name, std::string_view separators, bool hex = false) {
  std::size_t seen = 0;
  bool in_run = false;
  for (const char c : name) {
    if (digit(c) || (hex && c >= 'a' && c <= 'f')) {
      in_run = true;
    } else if (in_run && seen < separators.size() && c == separators[seen]) {
      in_run = false;
      ++seen;
    } else {
      return false;
    }
  }
  return in_run && seen == separators.size();
}

/// A step on the way: its name, and its directory below /sys.
struct Step {
  std::string name;
  std::string directory;
};

class DevicePath {
 public:
  DevicePath(const SysTree& sys, const std::string& disk_dir)
      : sys_(sys), below_(sys.relative(disk_dir)) {
    for (std::size_t at = 0; at < below_.size();) {
      const auto end = std::min(below_.find('/', at), below_.size());
      steps_.push_back({below_.substr(at, end - at), below_.substr(0, end)});
      at = end + 1;
    }
  }

  void fill(DeviceFacts& facts) const;

 private:
  /// The step nearest to the disk that `fits`; nullptr when there is none.
  template <class Fits>
  const Step* last(Fits fits) const {
    const auto it = std::find_if(steps_.rbegin(), steps_.rend(),
                                 [&](const Step& step) { return fits(step.name); });
    return it == steps_.rend() ? nullptr : &*it;
  }
  const Step* last_numbered(std::string_view prefix) const {
    return last([&](const std::string& name) { return numbered(name, prefix); });
  }
  const Step* last_starting(std::string_view prefix) const {
    return last([&](const std::string& name) { return name.starts_with(prefix); });
  }

  /// A link rate begins with a number; "<unknown>", "Unknown" and "Phy disabled" are none.
  std::optional<std::string> rate(const std::string& path, std::string_view unit = {}) const;
  bool usb(DeviceFacts& facts) const;
  bool sas(DeviceFacts& facts) const;
  bool ata(DeviceFacts& facts) const;
  bool nvme(DeviceFacts& facts) const;
  bool bare_name(DeviceFacts& facts) const;

  const SysTree& sys_;
  std::string below_;
  std::vector<Step> steps_;
};

std::optional<std::string> DevicePath::rate(const std::string& path, std::string_view unit) const {
  auto text = sys_.name(path);
  if (!text || !digit(text->front())) return std::nullopt;
  return *text + std::string(unit);
}

bool DevicePath::usb(DeviceFacts& facts) const {
  if (last_numbered("usb") == nullptr) return false;
  facts.transport = "usb";
  // The device is the last "4-2" or "4-2.1"; "4-2:1.0" below it is one of its interfaces.
  const Step* device = last([](const std::string& name) {
    return digits_and(name.substr(0, name.find('.')), "-") && name.find(':') == std::string::npos;
  });
  if (device != nullptr) facts.link_rate = rate(device->directory + "/speed", " Mbit/s");
  return true;
}

bool DevicePath::sas(DeviceFacts& facts) const {
  const Step* end_device = last_starting("end_device-");
  if (end_device == nullptr) return false;
  facts.transport = "sas";
  const std::string device = end_device->directory;
  facts.sas_address = sys_.name(device + "/sas_device/" + end_device->name + "/sas_address");
  // The port above holds links to its phys: one, but for wide ports.
  const std::string port = device.substr(0, device.rfind('/'));
  for (const std::string& name : sys_.names_in(port)) {
    if (!name.starts_with("phy-")) continue;
    facts.sas_phy = printable_name(name);
    facts.link_rate = rate(port + "/" + name + "/sas_phy/" + name + "/negotiated_linkrate");
    break;
  }
  return true;
}

bool DevicePath::ata(DeviceFacts& facts) const {
  const Step* port = last_numbered("ata");
  if (port == nullptr) return false;
  facts.ata_port = port->name;
  const std::string link = "link" + port->name.substr(3);
  facts.link_rate = rate(port->directory + "/" + link + "/ata_link/" + link + "/sata_spd");
  facts.transport = facts.link_rate ? "sata" : "ata";  // parallel ATA ports are named alike
  return true;
}

bool DevicePath::nvme(DeviceFacts& facts) const {
  const Step* controller = last_numbered("nvme");
  const Step* subsystem = last_starting("nvme-subsys");
  if (controller == nullptr && subsystem == nullptr) return false;
  facts.transport = "nvme";
  std::vector<std::string> controllers;
  if (controller != nullptr) {
    controllers.push_back(controller->directory);
  } else {
    for (const std::string& name : sys_.names_in(subsystem->directory)) {
      if (numbered(name, "nvme")) controllers.push_back(subsystem->directory + "/" + name);
    }
  }
  if (controllers.size() != 1) return true;  // several paths: no one rate is the disk's
  const std::string function = controllers.front() + "/device";
  facts.link_rate = rate(function + "/current_link_speed");
  const auto width = sys_.number(function + "/current_link_width");
  if (facts.link_rate && width) *facts.link_rate += " x" + std::to_string(*width);
  return true;
}

/// Transports that a name on the way shows and that have nothing more to tell.
bool DevicePath::bare_name(DeviceFacts& facts) const {
  constexpr std::array<std::pair<std::string_view, std::string_view>, 5> kBuses = {
      {{"session", "iscsi"}, {"virtio", "virtio"}, {"mmc", "mmc"}, {"host", "scsi"}, {"md", "md"}}};
  constexpr std::array<std::pair<std::string_view, std::string_view>, 4> kVirtual = {
      {{"loop", "loop"}, {"dm-", "dm"}, {"zram", "zram"}, {"nbd", "nbd"}}};
  if (last_starting("rport-") != nullptr) {
    facts.transport = "fc";
    return true;
  }
  for (const auto& [prefix, name] : kBuses) {
    if (last_numbered(prefix) == nullptr) continue;
    facts.transport = name;
    return true;
  }
  for (const auto& [prefix, name] : kVirtual) {
    if (steps_.empty() || !numbered(steps_.back().name, prefix)) continue;
    facts.transport = name;
    return true;
  }
  return false;
}

void DevicePath::fill(DeviceFacts& facts) const {
  if (steps_.empty()) return;
  facts.sys_path = printable_name(below_);
  static_cast<void>(usb(facts) || sas(facts) || ata(facts) || nvme(facts) || bare_name(facts));
  if (const Step* host = last_numbered("host")) facts.host = host->name;
  const Step* hctl = last([](const std::string& name) { return digits_and(name, ":::"); });
  if (hctl != nullptr) facts.hctl = hctl->name;
  const Step* pci = last([](const std::string& name) { return digits_and(name, "::.", true); });
  if (pci != nullptr) facts.pci_address = pci->name;
  // The HBA's driver puts the address at the SCSI device, too; it is there without the SAS class.
  if (!facts.sas_address) {
    facts.sas_address = sys_.name(steps_.back().directory + "/device/sas_address");
  }
}

}  // namespace

void read_device_path(const SysTree& sys, const std::string& disk_dir, DeviceFacts& facts) {
  DevicePath(sys, disk_dir).fill(facts);
}

}  // namespace mark6
