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

std::vector<std::string> Tree::update(std::vector<ScanFacts> scans) {
  std::sort(scans.begin(), scans.end(),
            [](const auto& a, const auto& b) { return a.scan.name < b.scan.name; });
  auto nodes = std::make_shared<std::vector<ScanNodePtr>>();
  nodes->reserve(scans.size());
  const std::lock_guard lock(mutex_);
  for (auto& facts : scans) {
    auto node = find(*listing_, facts.scan.name);
    if (node == nullptr || !node->facts().same_files(facts)) {
      const std::uint64_t inode = free_inode(facts.scan.name);
      node = std::make_shared<ScanNode>(inode, std::move(facts));
      by_inode_.emplace(inode, node);
    }
    nodes->push_back(std::move(node));
  }
  std::vector<std::string> changed;
  add_differences(*listing_, *nodes, changed);
  add_differences(*nodes, *listing_, changed);
  std::sort(changed.begin(), changed.end());
  changed.erase(std::unique(changed.begin(), changed.end()), changed.end());
  listing_ = std::move(nodes);
  return changed;
}

ScanNodePtr Tree::lookup(std::string_view name) const {
  const Listing listing = this->listing();
  if (auto node = find(*listing, name); node != nullptr) return node;
  if (name.size() <= kSuffix.size() || !name.ends_with(kSuffix)) return nullptr;
  return find(*listing, name.substr(0, name.size() - kSuffix.size()));
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
