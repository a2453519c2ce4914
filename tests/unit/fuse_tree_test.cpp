// SPDX-License-Identifier: MIT
#include <algorithm>
#include <catch2/catch.hpp>
#include <string>
#include <vector>

#include "fuse/tree.hpp"

using mark6::ScanFacts;
using mark6::Tree;

namespace {

ScanFacts scan(const std::string& name, std::uint64_t bytes = 100) {
  ScanFacts facts;
  facts.scan.name = name;
  mark6::FragmentPath fragment;
  fragment.path = "/d/1/0/data/" + name;
  fragment.size_bytes = bytes;
  facts.scan.fragments.push_back(fragment);
  return facts;
}

std::vector<std::string> names(const Tree& tree) {
  std::vector<std::string> all;
  for (const auto& node : *tree.listing()) all.push_back(node->name());
  return all;
}

bool contains(const std::vector<std::string>& all, const std::string& name) {
  return std::find(all.begin(), all.end(), name) != all.end();
}

}  // namespace

TEST_CASE("tree: scans are found by their exact name, sorted in the listing", "[unit]") {
  Tree tree;
  tree.update({scan("b.vdif"), scan("a [1]*.vdif"), scan("B.vdif")});
  CHECK(names(tree) == std::vector<std::string>{"B.vdif", "a [1]*.vdif", "b.vdif"});
  REQUIRE(tree.lookup("a [1]*.vdif") != nullptr);
  CHECK(tree.lookup("a [1]*.vdif")->name() == "a [1]*.vdif");
  CHECK(tree.lookup("B.vdif") != tree.lookup("b.vdif"));
  CHECK(tree.lookup("b") == nullptr);
  CHECK(tree.lookup("") == nullptr);
  CHECK(tree.lookup(".vdif") == nullptr);
}

TEST_CASE("tree: NAME.vdif leads to NAME where no such scan exists", "[unit]") {
  Tree tree;
  tree.update({scan("one"), scan("two"), scan("two.vdif")});
  CHECK(tree.lookup("one.vdif") == tree.lookup("one"));
  CHECK(tree.lookup("two.vdif")->name() == "two.vdif");
  CHECK(names(tree).size() == 3);  // an alias is not listed
  CHECK(tree.lookup("one.vdif.vdif") == nullptr);
}

TEST_CASE("tree: inode numbers are the same at the next mount", "[unit]") {
  Tree first, second;
  first.update({scan("a"), scan("b")});
  second.update({scan("0"), scan("b"), scan("a")});
  CHECK(first.lookup("a")->inode() == second.lookup("a")->inode());
  CHECK(first.lookup("b")->inode() == second.lookup("b")->inode());
  CHECK(first.lookup("a")->inode() != first.lookup("b")->inode());
  CHECK(first.by_inode(first.lookup("a")->inode()) == first.lookup("a"));
  CHECK(first.by_inode(Tree::kRootInode) == nullptr);
}

TEST_CASE("tree: names with equal hashes get different inode numbers, in the same way always",
          "[unit]") {
  const auto bad_hash = [](std::string_view) { return std::uint64_t{0}; };
  Tree first(bad_hash), second(bad_hash);
  first.update({scan("a"), scan("b"), scan("c")});
  second.update({scan("c"), scan("b"), scan("a")});
  CHECK(first.lookup("a")->inode() == 16);  // never 0, the root's or another reserved one
  CHECK(first.lookup("b")->inode() == 17);
  CHECK(first.lookup("c")->inode() == 18);
  for (const char* name : {"a", "b", "c"}) {
    CHECK(first.lookup(name)->inode() == second.lookup(name)->inode());
  }
}

TEST_CASE("tree: a scan whose files did not change keeps its node, one that changed does not",
          "[unit]") {
  Tree tree;
  tree.update({scan("same"), scan("grows", 100), scan("goes")});
  const auto same = tree.lookup("same");
  const auto grows = tree.lookup("grows");
  const auto goes = tree.enter("goes");
  const auto before = tree.listing();

  const auto changed = tree.update({scan("same"), scan("grows", 200), scan("new")});
  CHECK(tree.lookup("same") == same);
  CHECK(tree.lookup("grows") != grows);
  CHECK(tree.lookup("grows")->inode() != grows->inode());
  CHECK(tree.lookup("goes") == nullptr);
  CHECK(tree.by_inode(goes->inode()) == goes);  // open files still lead there
  CHECK(before->size() == 3);                   // a listing in use does not change

  for (const char* name : {"grows", "goes", "new", "new.vdif"}) CHECK(contains(changed, name));
  CHECK_FALSE(contains(changed, "same"));
  CHECK(tree.update({scan("same"), scan("grows", 200), scan("new")}).empty());
}

TEST_CASE("tree: a node that no name leads to lives as long as the kernel knows it", "[unit]") {
  Tree tree;
  tree.update({scan("known"), scan("unknown")});
  const auto known = tree.enter("known.vdif");
  REQUIRE(known != nullptr);
  CHECK(tree.enter("known") == known);
  const auto unknown = tree.lookup("unknown");
  tree.update({});
  CHECK_FALSE(tree.is_listed(known));
  CHECK(tree.by_inode(unknown->inode()) == nullptr);
  tree.forget(known->inode(), 1);
  CHECK(tree.by_inode(known->inode()) == known);
  tree.forget(known->inode(), 1);
  CHECK(tree.by_inode(known->inode()) == nullptr);
  tree.forget(known->inode(), 1);  // once too often
}

TEST_CASE("tree: a scan whose files changed within a second, or while walked, is a new node",
          "[unit]") {
  Tree tree;
  auto before = scan("a");
  before.scan.fragments.front().identity.mtime_ns = 1'000'000'001;
  auto after = before;
  after.scan.fragments.front().identity.mtime_ns = 1'000'000'002;
  tree.update({before});
  const auto first = tree.lookup("a");
  tree.update({before});
  CHECK(tree.lookup("a") == first);
  tree.update({after});
  const auto second = tree.lookup("a");
  CHECK(second->inode() != first->inode());
  CHECK(tree.update({after}, 0, [](const auto&) { return true; }) ==
        std::vector<std::string>{"a", "a.vdif"});
  CHECK(tree.lookup("a")->inode() != second->inode());
}

TEST_CASE("tree: a scan is settled when its files were left alone for a while", "[unit]") {
  constexpr std::int64_t kSecond = 1'000'000'000;
  Tree tree;
  auto facts = scan("a");
  facts.scan.fragments.front().identity.mtime_ns = 1000 * kSecond;
  tree.update({facts}, 1010 * kSecond);
  CHECK_FALSE(tree.lookup("a")->is_settled());
  tree.update({facts}, 1040 * kSecond);
  CHECK(tree.lookup("a")->is_settled());
}
