// SPDX-License-Identifier: MIT
#include "tools/diagnose_loop.hpp"

#include <algorithm>
#include <utility>

namespace mark6 {
namespace {

/// Failed reads of one measurement after which a disk is left alone: a dead one fails at once.
constexpr std::uint64_t kMostErrors = 50;

std::vector<std::uint64_t> sizes_of(const std::vector<DataFile>& files) {
  std::vector<std::uint64_t> sizes;
  sizes.reserve(files.size());
  for (const DataFile& file : files) sizes.push_back(file.size());
  return sizes;
}

}  // namespace

class DiskLoop::Read final : public ReadRequest {
 public:
  explicit Read(DiskLoop& loop) : loop_(loop) {}
  void finished(int error) override { loop_.came_back(*this, error); }
  void timed_out() override {}  // the engine is told to wait for ever: hung disks are found here
  [[nodiscard]] bool wanted() const override { return true; }

 private:
  DiskLoop& loop_;
};

DiskLoop::DiskLoop(LoopSignal& signal, DiskIndex disk, std::vector<DataFile> files,
                   std::size_t depth)
    : signal_(signal), files_(std::move(files)), places_(sizes_of(files_)) {
  for (std::size_t i = 0; i < depth; ++i) {
    reads_.push_back(std::make_unique<Read>(*this));
    reads_.back()->disk = disk;
    reads_.back()->narrow = false;
  }
}

DiskLoop::~DiskLoop() = default;

Result<void> DiskLoop::allocate() {
  auto slab = Slab::allocate(reads_.size() * ReadPlaces::kUnitBytes);
  if (!slab) return Failure(slab.error());
  slab_ = std::move(*slab);
  slab_.populate(0, slab_.size());
  for (std::size_t i = 0; i < reads_.size(); ++i) {
    reads_[i]->into = slab_.data() + i * ReadPlaces::kUnitBytes;
  }
  return {};
}

void DiskLoop::begin(ReadEngine& engine) {
  engine_ = &engine;
  next_ = ReadPlaces::next_lap(next_);
  errors_left_ = kMostErrors;
  in_flight_.store(reads_.size(), std::memory_order_relaxed);
  going_.store(true, std::memory_order_relaxed);
  for (std::size_t i = 0; i < reads_.size(); ++i) {
    aim(*reads_[i]);
    if (i > 0) ReadEngine::chain(*reads_[i - 1], *reads_[i]);
  }
  engine.submit(reads_.front().get(), reads_.back().get());
}

void DiskLoop::aim(Read& read) {
  const ReadPlace place = places_.at(next_++);
  const DataFile& file = files_[place.file];
  read.buffered = file.direct_fd() < 0;
  read.fd = read.buffered ? file.buffered_fd() : file.direct_fd();
  read.alignment = read.buffered ? 1 : file.direct_alignment();
  read.offset = place.offset;
  read.needed = place.length;
  read.length = (place.length + read.alignment - 1) / read.alignment * read.alignment;
  read.stream = this;
}

/// Reaper thread.
void DiskLoop::came_back(Read& read, int error) {
  requests_.fetch_add(1, std::memory_order_relaxed);
  if (error == 0) {
    bytes_.fetch_add(read.needed, std::memory_order_relaxed);
  } else {
    errors_.fetch_add(1, std::memory_order_relaxed);
    last_error_.store(error, std::memory_order_relaxed);
    if (errors_left_ > 0) --errors_left_;
  }
  if (going_.load(std::memory_order_relaxed) && errors_left_ > 0) {
    aim(read);
    engine_->submit(&read, &read);
    return;
  }
  const std::lock_guard lock(signal_.mutex);
  in_flight_.fetch_sub(1, std::memory_order_release);
  signal_.rested.notify_all();
}

DiskLoop::Progress DiskLoop::progress() const {
  return {requests_.load(std::memory_order_relaxed), bytes_.load(std::memory_order_relaxed)};
}

std::uint64_t DiskLoop::data_bytes() const { return places_.units() * ReadPlaces::kUnitBytes; }

bool DiskLoop::direct() const {
  return std::all_of(files_.begin(), files_.end(),
                     [](const DataFile& file) { return file.direct_fd() >= 0; });
}

}  // namespace mark6
