// SPDX-License-Identifier: MIT
#include "common/read/block_load.hpp"

#include <algorithm>
#include <utility>

#include "common/read/stream_state.hpp"

namespace mark6 {

void LoadRead::finished(int failure) { load->stream().read_finished(*this, failure); }

bool LoadRead::wanted() const { return !load->cancelled(); }

namespace {

/// Where in its file a load lies, and the aligned range that is read for it.
struct Placement {
  bool direct;
  std::uint64_t alignment, first, last, base, limit;
};

Placement place(const sg::Extent& extent, const StreamFile& file, ScanOffset begin, ScanOffset end,
                bool direct) {
  constexpr std::uint64_t kLargestAlignment = 4096;  // what every slab has
  Placement p{};
  p.direct = direct && file.direct_fd >= 0 && file.alignment <= kLargestAlignment;
  p.alignment = p.direct ? file.alignment : 1;
  p.first = (extent.file_offset() + (begin - extent.scan_offset)).value;
  p.last = p.first + (end - begin);
  p.base = p.first / p.alignment * p.alignment;
  p.limit = (p.last + p.alignment - 1) / p.alignment * p.alignment;
  return p;
}

}  // namespace

std::size_t BlockLoad::memory_for(const sg::Extent& extent, const StreamFile& file,
                                  ScanOffset begin, ScanOffset end, bool direct) {
  const Placement p = place(extent, file, begin, end, direct);
  return p.limit - p.base;
}

void BlockLoad::describe_reads(std::shared_ptr<StreamState> stream, const sg::Extent& extent,
                               const StreamFile& file, ScanOffset begin, ScanOffset end,
                               bool direct) {
  const Placement p = place(extent, file, begin, end, direct);
  stream_ = std::move(stream);
  begin_ = begin;
  end_ = end;
  payload_shift_ = p.first - p.base;
  memory_bytes_ = p.limit - p.base;
  cancelled_.store(false, std::memory_order_relaxed);
  given_to_pipe_.store(false, std::memory_order_relaxed);
  read_count_ = 0;
  for (std::uint64_t at = p.base; at < p.limit; at += ReadEngine::kReadBytes) {
    const std::uint64_t until = std::min(at + ReadEngine::kReadBytes, p.limit);
    LoadRead& read = reads_[read_count_++];
    read.load = this;
    read.fd = p.direct ? file.direct_fd : file.buffered_fd;
    read.disk = file.disk;
    read.buffered = !p.direct;
    read.alignment = static_cast<std::uint32_t>(p.alignment);
    read.offset = at;
    read.length = static_cast<std::uint32_t>(until - at);
    read.needed = static_cast<std::uint32_t>(std::min(until, p.last) - at);
    read.stream = stream_.get();
    read.begin = begin + (std::max(at, p.first) - p.first);
    read.end = begin + (std::min(until, p.last) - p.first);
    read.done = false;
    read.error = 0;
  }
}

void BlockLoad::attach(Slab slab) {
  slab_ = std::move(slab);
  payload_ = slab_.data() + payload_shift_;
  for (std::size_t i = 0; i < read_count_; ++i) {
    reads_[i].into = slab_.data() + i * ReadEngine::kReadBytes;
  }
}

std::size_t BlockLoad::read_at(ScanOffset offset) const {
  return (offset - begin_ + payload_shift_) / ReadEngine::kReadBytes;
}

void BlockLoad::release() {
  if (references_.fetch_sub(1, std::memory_order_acq_rel) != 1) return;
  // The stream lives until its last load has come home.
  const std::shared_ptr<StreamState> stream = std::move(stream_);
  payload_ = nullptr;
  stream->take_back(*this, std::exchange(slab_, Slab()),
                    given_to_pipe_.load(std::memory_order_relaxed));
}

}  // namespace mark6
