// SPDX-License-Identifier: MIT
#include "gather/statistics.hpp"

#include <set>
#include <vector>

#include "common/report/stats_table.hpp"

namespace mark6::gather {
namespace {

constexpr std::size_t kNamedDisks = 3;

}  // namespace

void add_disks(StatsCollector& statistics, const OpenedScan& scan, const Catalog& catalog,
               const ReadEngine& engine) {
  for (std::size_t i = 0; i < catalog.disks.size(); ++i) {
    statistics.add_disk(catalog.disks[i].module, catalog.disks[i].name,
                        engine.counters(DiskIndex(static_cast<std::uint32_t>(i))));
  }
  statistics.set_blocks(blocks_by_disk(scan.index, scan.fragments, catalog.disks.size()));
}

void identify_disks(StatsCollector& statistics, const OpenedScan& scan) {
  std::set<DiskIndex> known;
  for (std::size_t i = 0; i < scan.fragments.size(); ++i) {
    // By the number of a file that is open: a path would have to be looked up on the disk, which
    // may hang.
    if (!scan.files[i] || !known.insert(scan.fragments[i].disk).second) continue;
    statistics.set_identity(scan.fragments[i].disk.value,
                            identify_device(device_number(scan.files[i]->identity().device)));
  }
}

std::string verdict_text(const StatsSnapshot& stats) {
  std::string text;
  for (const std::string& line : verdict_lines(stats, kNamedDisks)) {
    text += "  verdict: " + line + "\n";
  }
  return text;
}

std::string state_text(const StatsSnapshot& stats) {
  std::string text;
  for (const std::string& line : stats_table(stats)) text += line + "\n";
  return text;
}

}  // namespace mark6::gather
