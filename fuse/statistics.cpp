// SPDX-License-Identifier: MIT
#include "fuse/statistics.hpp"

#include <fmt/format.h>

#include "common/base/clock.hpp"
#include "common/base/escape.hpp"
#include "common/base/log.hpp"
#include "common/base/units.hpp"
#include "common/report/stats_table.hpp"

namespace mark6 {
namespace {

std::string xattr(const ScanAttributes& attributes, const std::string& name) {
  for (const auto& [key, value] : attributes.xattrs) {
    if (key == "user.mark6." + name) return value;
  }
  return "unknown";
}

std::string scan_line(const ScanNode& node, const ScanAttributes* attributes) {
  const std::string& name = node.name();
  if (attributes == nullptr) return fmt::format("scan {}: not looked at yet\n", escaped(name));
  std::string text = fmt::format("scan {}: {}, {} blocks", escaped(name),
                                 xattr(*attributes, "state"), xattr(*attributes, "blocks"));
  if (!attributes->complete) {
    text += ", missing " + xattr(*attributes, "holes");
    const std::string& absent = node.facts().absent_disks;
    if (!absent.empty()) text += "; no fragment on disk " + escaped(absent);
  }
  text += '\n';
  for (const std::string& problem : attributes->problems) {
    text += fmt::format("fragment {}\n", escaped(problem));
  }
  return text;
}

std::string disk_line(const DeviceStats& device) {
  std::string text = fmt::format("disk {}: {}, {} of {} reads failed: {}", disk_name(device),
                                 to_string(device.verdict.judgement), device.total.errors,
                                 device.total.requests, escaped(device.verdict.reason));
  if (device.verdict.slow_while_recording) text += "; " + escaped(device.verdict.recording);
  return text + '\n';
}

}  // namespace

void add_disks(Service& service, const std::vector<std::string>& directories) {
  for (std::size_t i = service.statistics.disks(); i < service.disks.size(); ++i) {
    const DiskIndex disk(static_cast<std::uint32_t>(i));
    const std::string label = service.disks.label(disk);
    const auto slash = label.rfind('/');
    const std::string module = slash == std::string::npos ? "" : label.substr(0, slash);
    const std::string name = slash == std::string::npos ? label : label.substr(slash + 1);
    service.statistics.add_disk(module, name, service.engine->counters(disk));
  }
  for (const std::string& directory : directories) {
    auto identity = identify_device_of(directory);
    if (!identity) continue;  // it has gone meanwhile
    service.statistics.set_identity(service.disks.index_of(directory, "").value,
                                    std::move(*identity));
  }
}

void log_statistics(Service& service) {
  const auto& pool = service.engine->pool();
  spdlog::info("{} scans, {} open, {} requests wait, memory {} of {} (most {})",
               service.tree.listing()->size(), service.open_scans.size(),
               service.queue.unfinished(), format_bytes(pool.used_bytes()),
               format_bytes(pool.budget_bytes()), format_bytes(pool.peak_bytes()));
  for (const std::string& line : stats_table(service.statistics.snapshot(monotonic_ns()))) {
    spdlog::info("{}", line);
  }
}

std::string disks_text(Service& service) {
  std::string text;
  for (const std::string& line : stats_table(service.statistics.snapshot(monotonic_ns()))) {
    text += line + '\n';
  }
  return text;
}

std::string health_text(Service& service) {
  const StatsSnapshot stats = service.statistics.snapshot(monotonic_ns());
  const Listing listing = service.tree.listing();
  std::string text =
      fmt::format("mount {}: {} scans, {} disks, {} open files\n", escaped(stats.target),
                  listing->size(), stats.devices.size(), service.open_scans.size());
  for (const DeviceStats& device : stats.devices) text += disk_line(device);
  for (const ScanNodePtr& node : *listing) {
    text += scan_line(*node, service.shelf.attributes(node).get());
  }
  return text;
}

}  // namespace mark6
