// SPDX-License-Identifier: MIT
// What /sys and udev say about one whole disk. Everything is optional: what they do not say is
// absent, never guessed. Sources: the kernel's Documentation/ABI (sysfs-block, sysfs-ata,
// sysfs-class-sas_*, sysfs-bus-usb), SPC-4 for the VPD page.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "common/account/device_number.hpp"
#include "common/account/system_files.hpp"

namespace mark6 {

/// Texts are printable ASCII (printable_name).
struct DeviceFacts {
  std::optional<std::uint64_t> size_bytes;
  std::optional<std::string> vendor;
  std::optional<std::string> model;
  std::optional<std::string> serial;    ///< device/serial, VPD page 80, or udev's ID_SERIAL_SHORT
  std::optional<std::string> firmware;  ///< revision of the drive's firmware
  std::optional<std::string> wwid;      ///< "naa.5000c500...", "eui.0025..."

  std::optional<bool> rotational;
  std::optional<std::string> scheduler;  ///< the one in use: "mq-deadline", "none"
  std::optional<std::uint64_t> read_ahead_kb;
  std::optional<std::uint64_t> nr_requests;
  std::optional<std::uint64_t> queue_depth;  ///< of the SCSI device

  /// sata, ata (no SATA speed known), sas (the link; the drive behind it may speak SATA), nvme,
  /// usb, virtio, mmc, iscsi, fc, scsi (any other host), loop, dm, md, zram, nbd.
  std::optional<std::string> transport;
  std::optional<std::string> link_rate;    ///< as /sys has it: "6.0 Gbps", "12.0 Gbit",
                                           ///< "8.0 GT/s PCIe x4"; for USB "5000 Mbit/s"
  std::optional<std::string> sas_address;  ///< "0x5000c500a1b2c3d4"
  std::optional<std::string> sas_phy;      ///< lane on the host or expander: "phy-6:0:3"
  std::optional<std::string> ata_port;     ///< "ata5", as the kernel's log names it
  std::optional<std::string> host;         ///< "host6"
  std::optional<std::string> hctl;         ///< host:channel:target:lun, "6:0:3:0"
  std::optional<std::string> pci_address;  ///< of the controller: "0000:03:00.0"
  std::optional<std::string> sys_path;     ///< below /sys: "devices/pci0000:00/.../block/sdr"
};

/// The facts on the disk `number` whose directory in /sys is `disk_dir` (resolved).
DeviceFacts read_device_facts(const SysTree& sys, const std::string& disk_dir, DeviceNumber number,
                              const SystemRoots& roots);

/// Serial number in a VPD page 0x80 as /sys/block/X/device/vpd_pg80 has it: byte 1 is 0x80, bytes 2
/// and 3 are the length (big-endian), then ASCII. Nothing when the page is another or is cut short.
std::optional<std::string> parse_vpd_serial(std::string_view page);

}  // namespace mark6
