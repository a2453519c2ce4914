// SPDX-License-Identifier: MIT
#include "fuse/scan_shelf.hpp"

#include <algorithm>
#include <cerrno>
#include <exception>
#include <utility>

#include "common/base/escape.hpp"
#include "common/base/log.hpp"

namespace mark6 {
namespace {

/// Walks handed to the opener at once: enough that no disk stands idle while others finish, few
/// enough that an urgent scan does not wait behind a heap of half-walked ones.
constexpr std::size_t kBackgroundWalks = 3;
constexpr std::size_t kHelpers = 256;

/// Tells the operator once what is wrong with a scan.
void log_state(const OpenedScan& opened) {
  for (const auto& problem : opened.open_problems) spdlog::warn("{}", problem);
  const auto& index = opened.index;
  if (index.state() == sg::ScanState::kComplete) {
    spdlog::debug("{}: {} bytes in {} blocks", escaped(opened.name), index.size_bytes(),
                  index.block_count());
    return;
  }
  spdlog::info("{}: {}, blocks missing: {}; mark6 list -l tells more", escaped(opened.name),
               to_string(index.state()), index.missing_blocks());
}

/// ESTALE where looking for the scan again may help, so that the kernel asks for its name again.
int errno_for_reader(const Error& error) {
  const int number = error.errno_value;
  if (number == EMFILE || number == ENFILE) return number;
  const bool is_other = error.code == ErrorCode::kBadFormat || error.code == ErrorCode::kNotFound;
  return number == ESTALE || is_other ? ESTALE : EIO;
}

}  // namespace

ScanShelf::ScanShelf(std::size_t disks, std::uint64_t index_budget_bytes, IndexBy index_by)
    : index_budget_bytes_(index_budget_bytes),
      index_by_(index_by),
      helpers_(kHelpers),
      opener_(std::make_unique<ScanOpener>(disks)) {}

ScanShelf::~ScanShelf() { stop(); }

void ScanShelf::walk_in_background(const std::vector<ScanNodePtr>& nodes) {
  std::unique_lock lock(mutex_);
  background_.insert(background_.end(), nodes.begin(), nodes.end());
  next_in_background(lock);
}

std::shared_ptr<const ScanAttributes> ScanShelf::attributes(const ScanNodePtr& node) const {
  const std::lock_guard lock(mutex_);
  return node->attributes_;
}

void ScanShelf::want_attributes(const ScanNodePtr& node, OnAttributes done) {
  std::unique_lock lock(mutex_);
  if (node->attributes_ != nullptr || stopping_) {
    const auto attributes = node->attributes_;
    lock.unlock();
    done(attributes);
    return;
  }
  node->wait_for_attributes_.push_back(std::move(done));
  waited_for_.push_back(node);
  if (std::exchange(node->walking_, true)) return;
  lock.unlock();
  walk(node, true, false);
}

std::shared_ptr<const OpenFiles> ScanShelf::files(const ScanNodePtr& node) {
  const std::lock_guard lock(mutex_);
  node->last_use_ = ++uses_;
  return node->files_.lock();
}

void ScanShelf::want_files(const ScanNodePtr& node, OnFiles done) {
  std::unique_lock lock(mutex_);
  node->last_use_ = ++uses_;
  if (const auto files = node->files_.lock(); files != nullptr || stopping_) {
    lock.unlock();
    done(files, files != nullptr ? 0 : ENODEV);
    return;
  }
  node->wait_for_files_.push_back(std::move(done));
  waited_for_.push_back(node);
  if (node->index_ != nullptr) {
    start_opening(node);
  } else if (!std::exchange(node->walking_, true)) {
    lock.unlock();
    walk(node, true, false);
  }
}

void ScanShelf::stop() {
  std::vector<OnAttributes> attributes;
  std::vector<OnFiles> files;
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
    background_.clear();
    for (const auto& node : std::exchange(waited_for_, {})) {
      std::move(node->wait_for_attributes_.begin(), node->wait_for_attributes_.end(),
                std::back_inserter(attributes));
      std::move(node->wait_for_files_.begin(), node->wait_for_files_.end(),
                std::back_inserter(files));
      node->wait_for_attributes_.clear();
      node->wait_for_files_.clear();
    }
  }
  for (const auto& done : attributes) done(nullptr);
  for (const auto& done : files) done(nullptr, ENODEV);
  helpers_.stop();
  opener_.reset();
}

/// Hands `node`, whose walking_ is set, to the opener. The mutex is not held: the opener may call
/// back at once.
void ScanShelf::walk(const ScanNodePtr& node, bool urgent, bool background) {
  const auto done = [this, node, background](const OpenedScanPtr& opened) {
    walked(node, *opened, background);
  };
  opener_->open(node->facts().scan, urgent, done, index_by_);
}

void ScanShelf::walked(const ScanNodePtr& node, const OpenedScan& opened, bool background) {
  auto attributes =
      std::make_shared<const ScanAttributes>(attributes_of(opened, node->facts(), node->inode()));
  auto index = std::make_shared<const IndexedScan>(indexed(opened));
  const bool strange = !are_as_told(index->identities, node->facts());
  std::unique_lock lock(mutex_);
  node->walking_ = false;
  int error = 0;
  if (strange) {
    node->strange_ = index->identities;
    node->is_strange_ = true;
  }
  if (node->attributes_ == nullptr) {
    node->attributes_ = std::move(attributes);
    lock.unlock();
    log_state(opened);
    lock.lock();
  } else if (attributes->status.st_size != node->attributes_->status.st_size) {
    error = ESTALE;  // somebody was told another size: a look at the modules makes another node
  }
  if (error == 0) keep_index(node, std::move(index));
  const auto waiting = std::exchange(node->wait_for_attributes_, {});
  if (error == 0 && !node->wait_for_files_.empty()) start_opening(node);
  if (node->wait_for_files_.empty()) std::erase(waited_for_, node);
  if (background) --background_walks_;
  next_in_background(lock);
  lock.unlock();
  for (const auto& done : waiting) done(node->attributes_);
  if (error != 0) deliver_files(node, nullptr, error);
  if (strange) when_strange_();
}

bool ScanShelf::is_outdated(const ScanNodePtr& node) const {
  FileStates found;
  {
    const std::lock_guard lock(mutex_);
    found = node->strange_;
  }
  return !found.empty() && states_now(node->facts()) != found;
}

/// Gives the opener more to walk; `lock` is held before and after.
void ScanShelf::next_in_background(std::unique_lock<std::mutex>& lock) {
  while (!stopping_ && background_walks_ < kBackgroundWalks && !background_.empty()) {
    const ScanNodePtr node = background_.front();
    background_.pop_front();
    if (node->attributes_ != nullptr || std::exchange(node->walking_, true)) continue;
    ++background_walks_;
    lock.unlock();
    walk(node, false, true);
    lock.lock();
  }
}

/// Has the files of `node` opened on a helper; its index is there and the mutex is held.
void ScanShelf::start_opening(const ScanNodePtr& node) {
  if (std::exchange(node->opening_, true)) return;
  helpers_.run([this, node, index = node->index_] { open_now(node, index); });
}

void ScanShelf::open_now(const ScanNodePtr& node, const std::shared_ptr<const IndexedScan>& index) {
  try {
    auto opened = open_files(index);
    if (opened) {
      deliver_files(node, std::make_shared<const OpenFiles>(std::move(*opened)), 0);
      return;
    }
    spdlog::warn("{}", describe(opened.error()));
    deliver_files(node, nullptr, errno_for_reader(opened.error()));
  } catch (const std::exception& exception) {
    spdlog::error("{}: cannot open: {}", escaped(node->name()), exception.what());
    deliver_files(node, nullptr, ENOMEM);
  }
}

void ScanShelf::deliver_files(const ScanNodePtr& node,
                              const std::shared_ptr<const OpenFiles>& files, int error) {
  std::vector<OnFiles> waiting;
  {
    const std::lock_guard lock(mutex_);
    node->opening_ = false;
    node->files_ = files;
    waiting.swap(node->wait_for_files_);
    if (node->wait_for_attributes_.empty()) std::erase(waited_for_, node);
  }
  for (const auto& done : waiting) done(files, error);
}

/// Keeps the index of `node` and drops those used least, except where files are open; the mutex is
/// held.
void ScanShelf::keep_index(const ScanNodePtr& node, std::shared_ptr<const IndexedScan> index) {
  if (node->index_ == nullptr) {
    with_index_.push_back(node);
    index_bytes_ += index->memory_bytes();
    node->index_ = std::move(index);
  }
  while (index_bytes_ > index_budget_bytes_) {
    auto least = with_index_.end();
    for (auto place = with_index_.begin(); place != with_index_.end(); ++place) {
      if (*place == node || !(*place)->files_.expired() || (*place)->opening_) continue;
      if (least == with_index_.end() || (*place)->last_use_ < (*least)->last_use_) least = place;
    }
    if (least == with_index_.end()) return;
    index_bytes_ -= (*least)->index_->memory_bytes();
    (*least)->index_.reset();
    with_index_.erase(least);
  }
}

}  // namespace mark6
