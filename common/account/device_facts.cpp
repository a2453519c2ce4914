// SPDX-License-Identifier: MIT
#include "common/account/device_facts.hpp"

#include "common/account/device_path.hpp"

namespace mark6 {
namespace {

constexpr std::uint64_t kSectorBytes = 512;  // /sys/block/X/size counts these, whatever the disk

template <class T>
void first_of(std::optional<T>& value, const std::optional<T>& candidate) {
  if (!value) value = candidate;
}

/// "mq-deadline [none] kyber": the one in brackets; a lone "none" has none (kernels before 5.x).
std::optional<std::string> scheduler_in_use(const std::optional<std::string>& line) {
  if (!line) return std::nullopt;
  const auto open = line->find('[');
  const auto close = line->find(']');
  if (open != std::string::npos && close != std::string::npos && open < close) {
    return printable_name(line->substr(open + 1, close - open - 1));
  }
  if (line == "none") return line;
  return std::nullopt;
}

std::optional<std::string> udev_serial(DeviceNumber number, const SystemRoots& roots) {
  constexpr std::size_t kMostBytes = 65536;
  const auto text = read_bounded(roots.run + "/udev/data/b" + to_string(number), kMostBytes);
  if (!text) return std::nullopt;
  constexpr std::string_view kKey = "\nE:ID_SERIAL_SHORT=";
  const std::string lines = "\n" + *text;
  const auto at = lines.find(kKey);
  if (at == std::string::npos) return std::nullopt;
  const auto begin = at + kKey.size();
  const auto end = lines.find('\n', begin);
  if (end == std::string::npos) return std::nullopt;  // cut short: half a serial is another one
  return printable_name(lines.substr(begin, end - begin));
}

std::optional<std::string> serial_of(const SysTree& sys, const std::string& disk_dir,
                                     DeviceNumber number, const SystemRoots& roots) {
  std::optional<std::string> serial = sys.name(disk_dir + "/serial");  // virtio
  first_of(serial, sys.name(disk_dir + "/device/serial"));             // NVMe, MMC
  if (!serial) {
    constexpr std::size_t kMostBytes = 4 + 0xffff;
    if (const auto page = sys.bytes(disk_dir + "/device/vpd_pg80", kMostBytes)) {
      serial = parse_vpd_serial(*page);
    }
  }
  first_of(serial, udev_serial(number, roots));
  return serial;
}

void read_names(const SysTree& sys, const std::string& dir, DeviceFacts& facts) {
  facts.model = sys.name(dir + "/device/model");
  facts.vendor = sys.name(dir + "/device/vendor");
  // The vendor of a virtio device is a number of the PCI registry, not a name.
  if (facts.vendor && facts.vendor->starts_with("0x")) facts.vendor.reset();
  facts.firmware = sys.name(dir + "/device/rev");                    // SCSI
  first_of(facts.firmware, sys.name(dir + "/device/firmware_rev"));  // NVMe
  facts.wwid = sys.name(dir + "/wwid");                              // NVMe
  first_of(facts.wwid, sys.name(dir + "/device/wwid"));              // SCSI
}

void read_queue(const SysTree& sys, const std::string& dir, DeviceFacts& facts) {
  if (const auto rotational = sys.number(dir + "/queue/rotational"); rotational) {
    if (*rotational <= 1) facts.rotational = *rotational == 1;
  }
  facts.scheduler = scheduler_in_use(sys.text(dir + "/queue/scheduler"));
  facts.read_ahead_kb = sys.number(dir + "/queue/read_ahead_kb");
  facts.nr_requests = sys.number(dir + "/queue/nr_requests");
  facts.queue_depth = sys.number(dir + "/device/queue_depth");
}

}  // namespace

std::optional<std::string> parse_vpd_serial(std::string_view page) {
  constexpr std::size_t kHeader = 4;
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(page[i]); };
  if (page.size() < kHeader || byte(1) != 0x80) return std::nullopt;
  const std::size_t length = byte(2) * 256U + byte(3);
  if (length > page.size() - kHeader) return std::nullopt;
  return printable_name(page.substr(kHeader, length));
}

DeviceFacts read_device_facts(const SysTree& sys, const std::string& disk_dir, DeviceNumber number,
                              const SystemRoots& roots) {
  DeviceFacts facts;
  if (const auto sectors = sys.number(disk_dir + "/size")) {
    if (*sectors <= UINT64_MAX / kSectorBytes) facts.size_bytes = *sectors * kSectorBytes;
  }
  read_names(sys, disk_dir, facts);
  facts.serial = serial_of(sys, disk_dir, number, roots);
  read_queue(sys, disk_dir, facts);
  read_device_path(sys, disk_dir, facts);
  return facts;
}

}  // namespace mark6
