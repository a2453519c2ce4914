// SPDX-License-Identifier: MIT
#include "common/read/block_load.hpp"

#include <algorithm>
#include <utility>

#include "common/read/stream_state.hpp"

namespace mark6 {

void LoadRead::finished(int failure) { load->stream().read_finished(*this, failure); }

void LoadRead::timed_out() { load->stream().read_timed_out(*this); }

bool LoadRead::wanted() const { return !load->cancelled(); }

void BlockLoad::open(std::shared_ptr<StreamState> stream, ScanOffset begin, ScanOffset end) {
  stream_ = std::move(stream);
  begin_ = begin;
  end_ = end;
  read_count_ = 0;
  failure = 0;
  late = false;
  cancelled_.store(false, std::memory_order_relaxed);
  given_to_pipe_.store(false, std::memory_order_relaxed);
}

void BlockLoad::place(const LoadPlace& place, const StreamFile& file) {
  place_ = place;
  const bool direct = place.direct && file.direct_fd >= 0 && file.alignment <= kLargestAlignment;
  const std::uint64_t alignment = direct ? file.alignment : 1;
  // The payload is at [first, last) of the file, what is needed at [first, needed), and what is
  // read at [base, limit).
  const std::uint64_t first =
      (place.extent.file_offset() + (begin_ - place.extent.scan_offset)).value;
  const std::uint64_t last = first + (end_ - begin_);
  const std::uint64_t needed = last + place.tail_bytes;
  const std::uint64_t base = first / alignment * alignment;
  const std::uint64_t limit = (needed + alignment - 1) / alignment * alignment;

  payload_shift_ = first - base;
  for (std::uint64_t at = base; at < limit; at += ReadEngine::kReadBytes) {
    const std::uint64_t until = std::min(at + ReadEngine::kReadBytes, limit);
    LoadRead& read = reads_[read_count_++];
    read.load = this;
    read.fd = direct ? file.direct_fd : file.buffered_fd;
    read.disk = file.disk;
    read.buffered = !direct;
    read.cached_fd = direct ? file.buffered_fd : -1;
    read.alignment = static_cast<std::uint32_t>(alignment);
    read.offset = at;
    read.length = static_cast<std::uint32_t>(until - at);
    read.needed = static_cast<std::uint32_t>(std::min(until, needed) - at);
    read.stream = stream_.get();
    read.begin = begin_ + (std::max(at, first) - first);
    read.end = begin_ + (std::min(until, last) - first);
    // The last read may bring nothing but a part of the tail.
    read.begin = std::min(read.begin, read.end);
    read.done = read.given_up = false;
    read.error = 0;
  }
}

void BlockLoad::attach(Slab slab) { slab_ = std::move(slab); }

void BlockLoad::aim() {
  payload_ = slab_.data() + payload_shift_;
  for (std::size_t i = 0; i < read_count_; ++i) {
    reads_[i].into = slab_.data() + i * ReadEngine::kReadBytes;
    reads_[i].fresh_memory = slab_.populated_bytes() < (i + 1) * ReadEngine::kReadBytes &&
                             slab_.populated_bytes() < slab_.size();
  }
}

std::size_t BlockLoad::read_at(ScanOffset offset) const {
  return (offset - begin_ + payload_shift_) / ReadEngine::kReadBytes;
}

std::optional<ScanRange> BlockLoad::bad_in(const LoadRead& read, ScanOffset from,
                                           ScanOffset to) const {
  from = std::max(from, read.begin);
  to = std::min(to, read.end);
  if (read.error == 0 || from >= to) return std::nullopt;
  if (read.bad().empty()) return ScanRange{from, to};
  // The file's byte `first` is the scan's byte begin_.
  const std::uint64_t first =
      (place_.extent.file_offset() + (begin_ - place_.extent.scan_offset)).value;
  for (const BadRange& bad : read.bad()) {
    const auto in_scan = [&](std::uint32_t at) {
      return begin_ + (std::max(read.offset + at, first) - first);
    };
    const ScanRange range{std::max(in_scan(bad.begin), from), std::min(in_scan(bad.end), to)};
    if (range.begin < range.end) return range;
  }
  return std::nullopt;
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
