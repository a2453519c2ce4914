// SPDX-License-Identifier: MIT
// Trees as the kernel builds them for each kind of disk, reduced to what is read.
#include "common/account/device_facts.hpp"

#include <catch2/catch.hpp>

#include "common/account/device_identity.hpp"
#include "tests/support/fake_system.hpp"

using mark6::DeviceFacts;
using mark6::DeviceNumber;
using mark6::parse_vpd_serial;
using mark6::test::FakeSystem;
using namespace std::string_literals;

namespace {

DeviceFacts facts_of(const FakeSystem& system, DeviceNumber number) {
  return mark6::identify_device(number, system.roots()).facts;
}

/// A SCSI disk in the directory `device` ("...target6:0:3/6:0:3:0").
void add_scsi(FakeSystem& system, const std::string& device, const std::string& name,
              const std::string& number) {
  const std::string block = device + "/block/" + name;
  system.block_device(block, number);
  system.link("sys/devices/" + block + "/device",
              "../../../" + device.substr(device.rfind('/') + 1));
  system.attribute(block + "/size", "7814037168\n");
  system.attribute(device + "/vendor", "ATA     \n");
  system.attribute(device + "/model", "ST4000NM0033-9ZM\n");
  system.attribute(device + "/rev", "SN04\n");
}

}  // namespace

TEST_CASE("device facts: a SATA disk", "[unit][account][pure]") {
  FakeSystem system;
  const std::string port = "pci0000:00/0000:00:1f.2/ata5";
  const std::string device = port + "/host4/target4:0:0/4:0:0:0";
  add_scsi(system, device, "sda", "8:0");
  system.attribute(port + "/link5/ata_link/link5/sata_spd", "6.0 Gbps\n");
  system.attribute(device + "/vpd_pg80", "\0\x80\0\x0c    Z1Z2ABCD"s);
  system.attribute(device + "/wwid", "naa.5000c5004f2e1a00\n");
  system.attribute(device + "/queue_depth", "31\n");
  const std::string queue = device + "/block/sda/queue/";
  system.attribute(queue + "rotational", "1\n");
  system.attribute(queue + "scheduler", "none [mq-deadline] kyber\n");
  system.attribute(queue + "read_ahead_kb", "128\n");
  system.attribute(queue + "nr_requests", "64\n");
  const auto facts = facts_of(system, {8, 0});
  CHECK(facts.size_bytes == 4000787030016);
  CHECK(facts.vendor == "ATA");
  CHECK(facts.model == "ST4000NM0033-9ZM");
  CHECK(facts.serial == "Z1Z2ABCD");
  CHECK(facts.firmware == "SN04");
  CHECK(facts.wwid == "naa.5000c5004f2e1a00");
  CHECK(facts.rotational == true);
  CHECK(facts.scheduler == "mq-deadline");
  CHECK(facts.read_ahead_kb == 128);
  CHECK(facts.nr_requests == 64);
  CHECK(facts.queue_depth == 31);
  CHECK(facts.transport == "sata");
  CHECK(facts.link_rate == "6.0 Gbps");
  CHECK(facts.ata_port == "ata5");
  CHECK(facts.host == "host4");
  CHECK(facts.hctl == "4:0:0:0");
  CHECK(facts.pci_address == "0000:00:1f.2");
  CHECK(facts.sys_path == "devices/" + device + "/block/sda");
  CHECK_FALSE(facts.sas_address);
}

TEST_CASE("device facts: a disk behind a SAS expander", "[unit][account][pure]") {
  FakeSystem system;
  const std::string port =
      "pci0000:00/0000:00:02.0/0000:03:00.0/host6/port-6:0/expander-6:0/port-6:0:3";
  const std::string end = port + "/end_device-6:0:3";
  add_scsi(system, end + "/target6:0:3/6:0:3:0", "sdr", "65:16");
  system.attribute(end + "/sas_device/end_device-6:0:3/sas_address", "0x5003048000a1b2c3\n");
  system.attribute(port + "/../phy-6:0:11/sas_phy/phy-6:0:11/negotiated_linkrate", "12.0 Gbit\n");
  system.link("sys/devices/" + port + "/phy-6:0:11", "../phy-6:0:11");
  const auto facts = facts_of(system, {65, 16});
  CHECK(facts.transport == "sas");
  CHECK(facts.sas_address == "0x5003048000a1b2c3");
  CHECK(facts.sas_phy == "phy-6:0:11");
  CHECK(facts.link_rate == "12.0 Gbit");
  CHECK(facts.hctl == "6:0:3:0");
  CHECK(facts.host == "host6");
  CHECK(facts.pci_address == "0000:03:00.0");
  CHECK_FALSE(facts.ata_port);
}

TEST_CASE("device facts: an NVMe namespace", "[unit][account][pure]") {
  FakeSystem system;
  const std::string pci = "pci0000:00/0000:00:01.0/0000:01:00.0";
  const std::string nvme = pci + "/nvme/nvme0";
  SECTION("below its controller") {
    system.block_device(nvme + "/nvme0n1", "259:0");
    system.link("sys/devices/" + nvme + "/nvme0n1/device", "../../nvme0");
    system.attribute(nvme + "/nvme0n1/wwid", "eui.0025385b71b0c1d2\n");
    system.attribute(nvme + "/model", "Samsung SSD 980 PRO 1TB                 \n");
    system.attribute(nvme + "/serial", "S5GXNX0R123456A     \n");
    system.attribute(nvme + "/firmware_rev", "5B2QGXA7\n");
    const auto facts = facts_of(system, {259, 0});
    CHECK(facts.model == "Samsung SSD 980 PRO 1TB");
    CHECK(facts.serial == "S5GXNX0R123456A");
    CHECK(facts.firmware == "5B2QGXA7");
    CHECK(facts.wwid == "eui.0025385b71b0c1d2");
    CHECK_FALSE(facts.vendor);
    CHECK_FALSE(facts.link_rate);
    CHECK(facts.transport == "nvme");
    CHECK(facts.pci_address == "0000:01:00.0");
  }
  SECTION("below its subsystem, where the kernel has multipath") {
    const std::string subsystem = "virtual/nvme-subsystem/nvme-subsys0";
    system.block_device(subsystem + "/nvme0n1", "259:0");
    system.attribute(nvme + "/serial", "S5GXNX0R123456A\n");
    system.link("sys/devices/" + nvme + "/device", "../../../0000:01:00.0");
    system.attribute(pci + "/current_link_speed", "8.0 GT/s PCIe\n");
    system.attribute(pci + "/current_link_width", "4\n");
    system.link("sys/devices/" + subsystem + "/nvme0", "../../../" + nvme);
    CHECK(facts_of(system, {259, 0}).transport == "nvme");
    CHECK(facts_of(system, {259, 0}).link_rate == "8.0 GT/s PCIe x4");
    // Over two paths no one rate is the disk's.
    system.link("sys/devices/" + subsystem + "/nvme1", "../../../" + nvme);
    CHECK_FALSE(facts_of(system, {259, 0}).link_rate);
  }
}

TEST_CASE("device facts: a USB disk", "[unit][account][pure]") {
  FakeSystem system;
  const std::string usb = "pci0000:00/0000:00:14.0/usb4/4-2/4-2.1";
  add_scsi(system, usb + "/4-2.1:1.0/host7/target7:0:0/7:0:0:0", "sdb", "8:16");
  system.attribute(usb + "/speed", "5000\n");
  system.attribute(usb + "/serial", "BRIDGE\n");
  auto facts = facts_of(system, {8, 16});
  CHECK(facts.transport == "usb");
  CHECK(facts.link_rate == "5000 Mbit/s");
  CHECK(facts.host == "host7");
  CHECK_FALSE(facts.serial);  // the serial number there is the bridge's

  system.write("run/udev/data/b8:16", "S:disk/by-id/x\nE:ID_SERIAL=A_B\nE:ID_SERIAL_SHORT=WD_12\n");
  CHECK(facts_of(system, {8, 16}).serial == "WD_12");
}

TEST_CASE("device facts: a virtio disk", "[unit][account][pure]") {
  FakeSystem system;
  const std::string device = "pci0000:00/0000:00:02.0/virtio1";
  system.block_device(device + "/block/vda", "254:0");
  system.link("sys/devices/" + device + "/block/vda/device", "../../../virtio1");
  system.attribute(device + "/vendor", "0x1af4\n");
  system.attribute(device + "/block/vda/serial", "rootfs\n");
  system.attribute(device + "/block/vda/queue/scheduler", "none\n");
  const auto facts = facts_of(system, {254, 0});
  CHECK(facts.transport == "virtio");
  CHECK(facts.serial == "rootfs");
  CHECK(facts.scheduler == "none");
  CHECK_FALSE(facts.vendor);
}

TEST_CASE("device facts: transports that the path only names", "[unit][account][pure]") {
  const auto& [path, transport] = GENERATE(table<std::string, std::string>({
      {"pci0000:00/0000:05:00.0/host0/target0:2:0/0:2:0:0/block/sda", "scsi"},
      {"platform/host3/session1/target3:0:0/3:0:0:1/block/sda", "iscsi"},
      {"pci0000:00/0000:05:00.0/host1/rport-1:0-2/target1:0:2/1:0:2:0/block/sda", "fc"},
      {"pci0000:00/0000:00:1f.1/ata1/host0/target0:0:0/0:0:0:0/block/sda", "ata"},
      {"platform/soc/mmc_host/mmc0/mmc0:0001/block/mmcblk0", "mmc"},
      {"virtual/block/zram0", "zram"},
      {"virtual/block/nbd0", "nbd"},
      {"virtual/block/md127", "md"},
      {"virtual/block/strange0", ""},
  }));
  INFO(path);
  FakeSystem system;
  system.block_device(path, "8:0");
  CHECK(facts_of(system, {8, 0}).transport.value_or("") == transport);
}

TEST_CASE("device facts: a link that is down has no rate", "[unit][account][pure]") {
  FakeSystem system;
  const std::string port = "pci0000:00/0000:00:1f.2/ata5";
  add_scsi(system, port + "/host4/target4:0:0/4:0:0:0", "sda", "8:0");
  system.attribute(port + "/link5/ata_link/link5/sata_spd", "<unknown>\n");
  CHECK_FALSE(facts_of(system, {8, 0}).link_rate);
}

TEST_CASE("device facts: a bare directory has a path and nothing else", "[unit][account][pure]") {
  FakeSystem system;
  system.block_device("virtual/block/strange0", "8:0");
  const auto facts = facts_of(system, {8, 0});
  CHECK(facts.sys_path == "devices/virtual/block/strange0");
  CHECK_FALSE(facts.size_bytes);
  CHECK_FALSE(facts.model);
  CHECK_FALSE(facts.serial);
  CHECK_FALSE(facts.rotational);
  CHECK_FALSE(facts.scheduler);
  CHECK_FALSE(facts.queue_depth);
  CHECK_FALSE(facts.link_rate);
  CHECK_FALSE(facts.host);
  CHECK_FALSE(facts.pci_address);
}

TEST_CASE("device facts: hostile contents are absent", "[unit][account][pure]") {
  FakeSystem system;
  const std::string device = "pci0000:00/host0/target0:0:0/0:0:0:0";
  add_scsi(system, device, "sda", "8:0");
  const std::string block = device + "/block/sda";
  const std::string megabytes(std::size_t{8} << 20U, 'M');
  system.attribute(device + "/model", megabytes);
  system.attribute(device + "/vendor", "EVIL\x1b[31m\xff");
  system.attribute(device + "/rev", "  \n");
  system.attribute(device + "/wwid", "");
  system.attribute(block + "/size", "18446744073709551615");
  system.attribute(block + "/queue/read_ahead_kb", "-1\n");
  system.attribute(block + "/queue/nr_requests", "12x\n");
  system.attribute(block + "/queue/rotational", "2\n");
  system.attribute(block + "/queue/scheduler", "]none[\n");
  system.attribute(device + "/queue_depth", "99999999999999999999\n");
  system.attribute(device + "/vpd_pg80", megabytes);
  system.write("run/udev/data/b8:0", megabytes + "\nE:ID_SERIAL_SHORT=X\n");
  std::filesystem::create_directories(system.path("sys/devices/" + block + "/serial"));
  system.link("sys/devices/" + device + "/serial", "serial");
  const auto facts = facts_of(system, {8, 0});
  CHECK_FALSE(facts.model);
  CHECK(facts.vendor == "EVIL?[31m?");
  CHECK_FALSE(facts.firmware);
  CHECK_FALSE(facts.wwid);
  CHECK_FALSE(facts.size_bytes);
  CHECK_FALSE(facts.read_ahead_kb);
  CHECK_FALSE(facts.nr_requests);
  CHECK_FALSE(facts.rotational);
  CHECK_FALSE(facts.scheduler);
  CHECK_FALSE(facts.queue_depth);
  CHECK_FALSE(facts.serial);
}

TEST_CASE("device facts: attributes without a newline are as good", "[unit][account][pure]") {
  FakeSystem system;
  system.block_device("virtual/block/loop0", "7:0");
  system.attribute("virtual/block/loop0/size", "100");
  CHECK(facts_of(system, {7, 0}).size_bytes == 51200);
}

TEST_CASE("device facts: the serial number of a VPD page is read within its bounds",
          "[unit][account][pure]") {
  CHECK(parse_vpd_serial("\0\x80\0\x04"s + "ABCDtrailing") == "ABCD");
  CHECK(parse_vpd_serial("\0\x80\0\x08"s + "  AB CD "s) == "AB CD");
  CHECK(parse_vpd_serial("\0\x80\0\x04"s + "AB\0\0"s) == "AB");
  CHECK_FALSE(parse_vpd_serial("\0\x80\0\x05"s + "ABCD"));  // cut short
  CHECK_FALSE(parse_vpd_serial("\0\x80\xff\xff"s + "ABCD"));
  CHECK_FALSE(parse_vpd_serial("\0\x83\0\x04"s + "ABCD"));  // another page
  CHECK_FALSE(parse_vpd_serial("\0\x80\0\0"s));
  CHECK_FALSE(parse_vpd_serial("\0\x80\0\x04"s + "    "));
  CHECK_FALSE(parse_vpd_serial("\0\x80\0"s));
  CHECK_FALSE(parse_vpd_serial(""));
}

TEST_CASE("device facts: a serial number cut off by our bound is none", "[unit][account][pure]") {
  FakeSystem system;
  system.block_device("virtual/block/strange0", "8:0");
  system.write("run/udev/data/b8:0", "E:ID_SERIAL_SHORT=HALF");
  CHECK_FALSE(facts_of(system, {8, 0}).serial);
}
