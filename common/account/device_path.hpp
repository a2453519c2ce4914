// SPDX-License-Identifier: MIT
// How a disk is attached: transport, port, lane and link rate, from the directories on the way to
// it in /sys/devices, each of which is a device the request passes through.
#pragma once

#include <string>

#include "common/account/device_facts.hpp"

namespace mark6 {

/// Fills in transport, link_rate, sas_*, ata_port, host, hctl, pci_address and sys_path of the disk
/// whose directory is `disk_dir` (resolved).
void read_device_path(const SysTree& sys, const std::string& disk_dir, DeviceFacts& facts);

}  // namespace mark6
