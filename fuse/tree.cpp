// SPDX-License-Identifier: MIT
#include "fuse/tree.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

namespace mark6 {
namespace {

constexpr std::string_view kSuffix = ".vdif";

ScanNodePtr find(const std::vector<ScanNodePtr>& nodes, std::string_view name) {
  const auto place = std::lower_bound(
      nodes.begin(), nodes.end(), name,
      [](const ScanNodePtr& node, std::string_view wanted) { return node->name() < wanted; });
  return place != nodes.end() && (*place)->name() == name ? *place : nullptr;
}

/// As Tree::lookup.
ScanNodePtr find_with_alias(const std::vector<ScanNodePtr>& nodes, std::string_view name) {
  if (auto node = find(nodes, name); node != nullptr) return node;
  if (name.size() <= kSuffix.size() || !name.ends_with(kSuffix)) return nullptr;
  return find(nodes, name.substr(0, name.size() - kSuffix.size()));
}

/// Names that lead to `node` in one of the listings and not in the other.
void add_differences(const std::vector<ScanNodePtr>& from, const std::vector<ScanNodePtr>& other,
                     std::vector<std::string>& names) {
  for (const auto& node : from) {
    if (find(other, node->name()) == node) continue;
    names.push_back(node->name());
    names.push_back(node->name() + std::string(kSuffix));
  }
}

}  // namespace

Tree::Tree(Hash hash)
    : hash_(std::move(hash)), listing_(std::make_shared<const std::vector<ScanNodePtr>>()) {}

std::vector<std::string> Tree::update(std::vector<ScanFacts> scans, std::int64_t seen_ns,
                                      const IsOutdated& is_outdated) {
  std::sort(scans.begin(), scans.end(),
            [](const auto& a, const auto& b) { return a.scan.name < b.scan.name; });
  const Listing before = listing();
  auto nodes = std::make_shared<std::vector<ScanNodePtr>>();
  nodes->reserve(scans.size());
  for (auto& facts : scans) {
    auto node = find(*before, facts.scan.name);
    if (node == nullptr || !node->facts().same_files(facts) || (is_outdated && is_outdated(node))) {
      const std::lock_guard lock(mutex_);
      const std::uint64_t inode = free_inode(facts.scan.name);
      node = std::make_shared<ScanNode>(inode, std::move(facts));
      by_inode_.emplace(inode, node);
    }
    node->seen_unchanged(seen_ns);
    nodes->push_back(std::move(node));
  }
  std::vector<std::string> changed;
  add_differences(*before, *nodes, changed);
  add_differences(*nodes, *before, changed);
  std::sort(changed.begin(), changed.end());
  changed.erase(std::unique(changed.begin(), changed.end()), changed.end());
  list(nodes);
  return changed;
}

/// Makes `listing` the one that counts.
void Tree::list(const Listing& listing) {
  const std::lock_guard lock(mutex_);
  const Listing before = std::exchange(listing_, listing);
  for (const auto& node : *before) node->is_listed_ = false;
  for (const auto& node : *listing) node->is_listed_ = true;
  for (const auto& node : *before) {
    if (!node->is_listed_ && node->lookups_ == 0) by_inode_.erase(node->inode());
  }
}

ScanNodePtr Tree::lookup(std::string_view name) const { return find_with_alias(*listing(), name); }

ScanNodePtr Tree::enter(std::string_view name) {
  const std::lock_guard lock(mutex_);
  auto node = find_with_alias(*listing_, name);
  if (node != nullptr) ++node->lookups_;
  return node;
}

void Tree::forget(std::uint64_t inode, std::uint64_t times) {
  const std::lock_guard lock(mutex_);
  const auto place = by_inode_.find(inode);
  if (place == by_inode_.end()) return;
  ScanNode& node = *place->second;
  node.lookups_ -= std::min(times, node.lookups_);
  if (!node.is_listed_ && node.lookups_ == 0) by_inode_.erase(place);
}

bool Tree::is_listed(const ScanNodePtr& node) const {
  const std::lock_guard lock(mutex_);
  return node->is_listed_;
}

ScanNodePtr Tree::by_inode(std::uint64_t inode) const {
  const std::lock_guard lock(mutex_);
  const auto place = by_inode_.find(inode);
  return place == by_inode_.end() ? nullptr : place->second;
}

Listing Tree::listing() const {
  const std::lock_guard lock(mutex_);
  return listing_;
}

std::uint64_t Tree::hash_of_name(std::string_view name) {
  // FNV-1a over the bytes, then the finisher of splitmix64.
  std::uint64_t hash = 0xcbf29ce484222325;
  for (const char byte : name) {
    hash = (hash ^ static_cast<unsigned char>(byte)) * 0x100000001b3;
  }
  hash = (hash ^ (hash >> 30)) * 0xbf58476d1ce4e5b9;
  hash = (hash ^ (hash >> 27)) * 0x94d049bb133111eb;
  hash ^= hash >> 31;
  return hash <= kLastReservedInode ? hash + kLastReservedInode + 1 : hash;
}

/// The inode number of `name`, or the next free one where another node has it. Names are given
/// theirs in order, so equal sets of names get equal numbers.
std::uint64_t Tree::free_inode(const std::string& name) const {
  std::uint64_t inode = hash_(name);
  while (inode <= kLastReservedInode || by_inode_.contains(inode)) ++inode;
  return inode;
}

}  // namespace mark6
