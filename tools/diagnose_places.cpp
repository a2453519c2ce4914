// SPDX-License-Identifier: MIT
#include "tools/diagnose_places.hpp"

#include <algorithm>
#include <tuple>

namespace mark6 {

std::vector<const FragmentPath*> fragments_to_read(const Catalog& catalog, DiskIndex disk,
                                                   std::size_t at_most) {
  std::vector<const FragmentPath*> found;
  std::uint64_t largest = 0;
  for (const Scan& scan : catalog.scans) {
    for (const FragmentPath& fragment : scan.fragments) {
      if (fragment.disk != disk || fragment.size_bytes == 0) continue;
      found.push_back(&fragment);
      largest = std::max(largest, fragment.size_bytes);
    }
  }
  std::erase_if(found,
                [&](const FragmentPath* f) { return f->size_bytes < largest - largest / 2; });
  std::sort(found.begin(), found.end(), [](const FragmentPath* a, const FragmentPath* b) {
    return std::tie(a->mtime_s, a->path) < std::tie(b->mtime_s, b->path);
  });
  std::vector<const FragmentPath*> picked;
  const std::size_t count = std::min(at_most, found.size());
  for (std::size_t i = 0; i < count; ++i) picked.push_back(found[i * found.size() / count]);
  return picked;
}

ReadPlaces::ReadPlaces(std::span<const std::uint64_t> file_bytes) {
  const bool whole = std::any_of(file_bytes.begin(), file_bytes.end(),
                                 [](std::uint64_t bytes) { return bytes >= kUnitBytes; });
  for (std::size_t i = 0; i < file_bytes.size(); ++i) {
    const std::uint64_t units = whole ? file_bytes[i] / kUnitBytes : (file_bytes[i] > 0 ? 1 : 0);
    if (units == 0) continue;
    files_.push_back({i, units_, file_bytes[i]});
    units_ += units;
  }
}

ReadPlace ReadPlaces::at(std::uint64_t n) const {
  const std::uint64_t lap = n / kLapUnits;
  const std::uint64_t place = n / kRunUnits % kPlaces;
  const std::uint64_t begin = units_ * place / kPlaces;
  const std::uint64_t length = std::max<std::uint64_t>(units_ * (place + 1) / kPlaces - begin, 1);
  const std::uint64_t unit = begin + (lap * kRunUnits + n % kRunUnits) % length;
  const auto behind =
      std::upper_bound(files_.begin(), files_.end(), unit,
                       [](std::uint64_t u, const File& f) { return u < f.first_unit; });
  const File& file = *(behind - 1);
  const std::uint64_t offset = (unit - file.first_unit) * kUnitBytes;
  return {file.file, offset,
          static_cast<std::uint32_t>(std::min<std::uint64_t>(kUnitBytes, file.bytes - offset))};
}

}  // namespace mark6
