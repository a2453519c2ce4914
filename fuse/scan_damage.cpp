// SPDX-License-Identifier: MIT
#include "fuse/scan_damage.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

#include "common/base/escape.hpp"

namespace mark6 {
namespace {

/// Longest value of an extended attribute: what getxattr(2) allows is 64 KiB.
constexpr std::size_t kMaxText = 32'000;
/// So many of a fragment's damages are told one by one.
constexpr std::size_t kDamagesInWords = 3;

std::string_view use_text(sg::FragmentUse use) {
  switch (use) {
    case sg::FragmentUse::kEmpty:
      return "empty";
    case sg::FragmentUse::kUnreadable:
      return "cannot be read";
    case sg::FragmentUse::kDisagrees:
      return "left out: its header disagrees with the other fragments";
    case sg::FragmentUse::kNotScatterGather:
      return "left out: not a Mark6 fragment";
    case sg::FragmentUse::kUsed:
      break;
  }
  return {};
}

std::string damages_text(const sg::FragmentSummary& fragment) {
  std::string text = fmt::format("damaged in {} place{}", fragment.damage_count,
                                 fragment.damage_count == 1 ? "" : "s");
  char separator = ':';
  for (std::size_t i = 0; i < std::min(kDamagesInWords, fragment.damage.size()); ++i) {
    text += fmt::format("{} {}", separator, describe(fragment.damage[i]));
    separator = ',';
  }
  return fragment.damage_count > kDamagesInWords ? text + ", ..." : text;
}

/// "1/4", or where the disks have no labels the path.
std::string disk_of(const ScanFacts& facts, const OpenedScan& opened, std::size_t fragment) {
  return fragment < facts.disk_labels.size() ? facts.disk_labels[fragment]
                                             : opened.fragments[fragment].path;
}

}  // namespace

std::string holes_text(const sg::ScanIndex& index) {
  std::string text = std::to_string(index.missing_blocks());
  char separator = ' ';
  for (const auto& range : index.missing()) {
    if (text.size() > kMaxText) return text + ",...";
    text += fmt::format("{}{}-{}", separator, range.first.value, range.last.value);
    separator = ',';
  }
  return text;
}

std::vector<std::string> problems_of(const OpenedScan& opened, const ScanFacts& facts) {
  std::vector<std::string> problems = opened.open_problems;
  for (std::size_t i = 0; i < opened.fragments.size(); ++i) {
    for (auto& problem : problems) {
      if (!problem.starts_with(opened.fragments[i].path + ":")) continue;
      problem = fmt::format("disk {}: {}", disk_of(facts, opened, i), problem);
    }
  }
  const auto& fragments = opened.index.fragments();
  for (std::size_t i = 0; i < std::min(fragments.size(), opened.files.size()); ++i) {
    if (!opened.files[i]) continue;  // told already
    const std::string where =
        fmt::format("disk {}: {}", disk_of(facts, opened, i), opened.fragments[i].path);
    if (fragments[i].use != sg::FragmentUse::kUsed) {
      problems.push_back(fmt::format("{}: {}", where, use_text(fragments[i].use)));
    }
    if (fragments[i].damage_count > 0) {
      problems.push_back(fmt::format("{}: {}", where, damages_text(fragments[i])));
    }
  }
  return problems;
}

std::string damage_text(const OpenedScan& opened, const ScanFacts& facts) {
  std::string text;
  const auto add = [&text](const std::string& words) {
    if (text.size() > kMaxText) return;
    text += (text.empty() ? "" : "; ") + words;
  };
  const auto& fragments = opened.index.fragments();
  for (std::size_t i = 0; i < std::min(fragments.size(), opened.files.size()); ++i) {
    const std::string disk = escaped(disk_of(facts, opened, i));
    if (!opened.files[i]) {
      add(disk + ": cannot be opened");
    } else if (fragments[i].use != sg::FragmentUse::kUsed) {
      add(fmt::format("{}: {}", disk, use_text(fragments[i].use)));
    } else if (fragments[i].damage_count > 0) {
      add(fmt::format("{}: {}", disk, damages_text(fragments[i])));
    }
  }
  if (const auto twice = opened.index.duplicate_count(); twice > 0) {
    add(fmt::format("{} block{} twice", twice, twice == 1 ? " stands" : "s stand"));
  }
  return text.empty() ? "none" : text;
}

}  // namespace mark6
