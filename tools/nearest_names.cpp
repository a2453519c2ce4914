// SPDX-License-Identifier: MIT
#include "tools/nearest_names.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

namespace mark6 {
namespace {

constexpr std::size_t kMaxCompared = 10'000;
constexpr std::size_t kMaxBytes = 255;  // NAME_MAX: no name is longer

/// Edits (insert, remove, replace a byte) that lead from `a` to `b`.
std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 0; i < a.size(); ++i) {
    std::size_t diagonal = std::exchange(row[0], i + 1);
    for (std::size_t j = 0; j < b.size(); ++j) {
      const std::size_t replaced = diagonal + (a[i] == b[j] ? 0 : 1);
      diagonal = row[j + 1];
      row[j + 1] = std::min({replaced, row[j] + 1, diagonal + 1});
    }
  }
  return row.back();
}

std::string_view comparable(std::string_view name) {
  if (name.ends_with(".vdif")) name.remove_suffix(5);
  return name.substr(0, kMaxBytes);
}

}  // namespace

std::vector<std::string> nearest_names(const std::vector<Scan>& scans, std::string_view word,
                                       std::size_t count) {
  const std::string_view wanted = comparable(word);
  std::vector<std::pair<std::size_t, std::string_view>> ranked;
  for (const Scan& scan : scans) {
    if (ranked.size() >= kMaxCompared) break;
    const std::string_view name = comparable(scan.name);
    const std::size_t distance = edit_distance(wanted, name);
    const std::size_t longest = std::max(wanted.size(), name.size());
    const bool is_part = !wanted.empty() && name.find(wanted) != std::string_view::npos;
    if (is_part || distance * 2 <= longest) ranked.emplace_back(distance, scan.name);
  }
  std::stable_sort(ranked.begin(), ranked.end(),
                   [](const auto& a, const auto& b) { return a.first < b.first; });
  std::vector<std::string> names;
  for (const auto& [distance, name] : ranked) {
    if (names.size() == count) break;
    names.emplace_back(name);
  }
  return names;
}

}  // namespace mark6
