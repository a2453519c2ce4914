// SPDX-License-Identifier: MIT
#include "tools/module_view.hpp"

#include <algorithm>
#include <filesystem>
#include <set>

#include "common/catalog/natural_order.hpp"

namespace mark6 {
namespace {

/// Modules have 8 disks; a number far above comes from broken metadata.
constexpr std::size_t kMaxDisksPerModule = 64;

/// The directory of the module that `disk` is in. Two modules "1" below different roots differ.
std::string module_directory(const Disk& disk) {
  std::filesystem::path home = disk.directory;
  if (home.filename() == "data") home = home.parent_path();
  return home.parent_path();
}

bool contains(const std::vector<std::string>& list, const std::string& word) {
  return std::find(list.begin(), list.end(), word) != list.end();
}

}  // namespace

ModuleView::Module& ModuleView::module_at(const Disk& disk) {
  const std::string directory = module_directory(disk);
  const auto known = std::find_if(modules_.begin(), modules_.end(), [&](const Module& module) {
    return module.name == disk.module && module.directory == directory;
  });
  const auto place = static_cast<std::size_t>(known - modules_.begin());
  if (known == modules_.end()) {
    modules_.push_back(
        Module{.name = disk.module, .directory = directory, .disks = {}, .msn = {}, .group = {}});
  }
  module_of_disk_.push_back(place);
  return modules_[place];
}

ModuleView::ModuleView(const Catalog& catalog, const std::vector<DiskMetadata>& metadata) {
  for (std::size_t i = 0; i < catalog.disks.size(); ++i) {
    const Disk& disk = catalog.disks[i];
    const DiskMetadata& known = metadata[i];
    Module& module = module_at(disk);
    disk_names_.push_back(disk.name);
    module.disks.push_back(disk.name);
    if (known.serial) module.msn = known.serial->msn;
    for (const ModuleSerial& serial : known.group) {
      if (!contains(module.group, serial.msn)) module.group.push_back(serial.msn);
    }
    const std::size_t by_serial = known.serial ? known.serial->disks.value_or(0) : 0;
    module.disks_by_metadata =
        std::max({module.disks_by_metadata, by_serial, known.disk_serials.size()});
  }
  for (Module& module : modules_) add_disks_by_metadata(module);
}

/// Disks are called by their number; where they are, those that the metadata count are known too,
/// whether or not they are mounted.
void ModuleView::add_disks_by_metadata(Module& module) {
  std::set<std::string> expected;
  for (std::size_t i = 0; i < std::min(module.disks_by_metadata, kMaxDisksPerModule); ++i) {
    expected.insert(std::to_string(i));
  }
  const bool numbered = std::all_of(module.disks.begin(), module.disks.end(),
                                    [&](const auto& disk) { return expected.contains(disk); });
  if (!numbered) return;
  module.disks.clear();
  for (const std::string& disk : expected) module.disks.push_back(disk);
  std::sort(module.disks.begin(), module.disks.end(), natural_less);
}

Absent ModuleView::absent(const Scan& scan) const {
  std::set<std::pair<std::size_t, std::string>> present;
  std::set<std::size_t> holding;
  for (const FragmentPath& fragment : scan.fragments) {
    const std::size_t module = module_of_disk_[fragment.disk.value];
    holding.insert(module);
    present.emplace(module, disk_names_[fragment.disk.value]);
  }
  std::vector<std::string> group;
  for (const std::size_t place : holding) {
    group.insert(group.end(), modules_[place].group.begin(), modules_[place].group.end());
  }
  Absent absent;
  std::set<std::string> in_view;
  for (std::size_t place = 0; place < modules_.size(); ++place) {
    const Module& module = modules_[place];
    in_view.insert(module.msn);
    if (!holding.contains(place) && !contains(group, module.msn)) continue;
    for (const std::string& disk : module.disks) {
      if (present.contains({place, disk})) continue;
      absent.disks.push_back(module.name.empty() ? disk : module.name + "/" + disk);
    }
  }
  for (const std::string& msn : group) {
    if (!in_view.contains(msn) && !contains(absent.modules, msn)) absent.modules.push_back(msn);
  }
  return absent;
}

}  // namespace mark6
