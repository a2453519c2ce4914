// SPDX-License-Identifier: MIT
#include "common/catalog/similar_names.hpp"

#include <algorithm>
#include <utility>

namespace mark6 {
namespace {

constexpr std::size_t kMaxEdits = 3;
constexpr std::size_t kShown = 5;

/// The name as it is compared: lower case, without ".vdif".
std::string comparable(std::string_view name) {
  constexpr std::string_view kSuffix = ".vdif";
  if (name.ends_with(kSuffix)) name.remove_suffix(kSuffix.size());
  std::string lower(name);
  for (char& c : lower) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return lower;
}

/// Levenshtein's distance: the insertions, deletions and replacements from `a` to `b`.
std::size_t edits(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row;  // distances from the part of `a` seen so far to each part of `b`
  for (std::size_t j = 0; j <= b.size(); ++j) row.push_back(j);
  for (std::size_t i = 0; i < a.size(); ++i) {
    std::size_t left = i + 1;
    for (std::size_t j = 0; j < b.size(); ++j) {
      const std::size_t replaced = row[j] + (a[i] == b[j] ? 0 : 1);
      row[j] = left;
      left = std::min({replaced, left + 1, row[j + 1] + 1});
    }
    row[b.size()] = left;
  }
  return row[b.size()];
}

}  // namespace

std::vector<std::string> similar_names(std::string_view word,
                                       const std::vector<std::string>& names) {
  const std::string wanted = comparable(word.substr(word.find_last_of('/') + 1));
  if (wanted.empty() || wanted.size() > 255) return {};
  std::vector<std::pair<std::size_t, std::string>> found;
  for (const std::string& name : names) {
    const std::string candidate = comparable(name);
    const std::size_t distance = edits(wanted, candidate);
    if (distance <= kMaxEdits) {
      found.emplace_back(distance, name);
    } else if (candidate.find(wanted) != std::string::npos) {
      found.emplace_back(kMaxEdits + distance, name);
    }
  }
  std::stable_sort(found.begin(), found.end(),
                   [](const auto& a, const auto& b) { return a.first < b.first; });
  if (found.size() > kShown) found.resize(kShown);
  std::vector<std::string> result;
  for (auto& [distance, name] : found) result.push_back(std::move(name));
  return result;
}

}  // namespace mark6
