// SPDX-License-Identifier: MIT
// One block (or a part of at most 16 MiB of it) on its way from a disk into memory: its slab and
// the engine reads that fill it. It is made for a range of the scan, gets memory, and is placed
// once it is known where its block lies; then its reads can be submitted. Counted references keep
// it: the window, each read in flight and each pin hold one; with the last the slab goes back to
// the pool.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>

#include "common/os/slab.hpp"
#include "common/read/read_engine.hpp"
#include "common/read/scan_stream.hpp"

namespace mark6 {

/// [begin, end) of the scan.
struct ScanRange {
  ScanOffset begin, end;
};

/// One engine read of a load, and the part of the scan it brings.
class LoadRead final : public ReadRequest {
 public:
  BlockLoad* load = nullptr;
  ScanOffset begin, end;  ///< payload bytes of this read, in the scan
  bool done = false;      ///< guarded by the stream's mutex, like the two below
  bool given_up = false;  ///< it has timed out; finished() may still come
  int error = 0;

  void finished(int failure) override;
  void timed_out() override;
  [[nodiscard]] bool wanted() const override;
};

/// Where the block of a load lies.
struct LoadPlace {
  sg::Extent extent;              ///< the whole block
  bool direct = true;             ///< O_DIRECT where the file system has it
  std::uint32_t tail_bytes = 0;   ///< wanted behind the payload (the next block's header)
  std::size_t grid_fragment = 0;  ///< of the grid, and the block's place in it, where there is one
  std::uint32_t grid_place = 0;
};

class BlockLoad {
 public:
  static constexpr std::uint32_t kMaxPayloadBytes = std::uint32_t{16} << 20;
  static constexpr std::size_t kMaxReads = kMaxPayloadBytes / ReadEngine::kReadBytes + 2;
  /// Memory that a load of so many payload bytes needs at most, alignment and tail included.
  static constexpr std::size_t memory_for(std::uint64_t payload_bytes) {
    return payload_bytes + 2 * kLargestAlignment + sg::kBlockHeaderBytesV2;
  }

  /// Makes it a load of [begin, end) of the scan. No memory is taken yet.
  void open(std::shared_ptr<StreamState> stream, ScanOffset begin, ScanOffset end);
  /// Says where its block lies, in `file`.
  void place(const LoadPlace& place, const StreamFile& file);
  /// Gives it its memory.
  void attach(Slab slab);
  /// Placed and attached: the reads get their addresses, and may then be submitted.
  void aim();

  [[nodiscard]] ScanOffset begin() const { return begin_; }
  [[nodiscard]] ScanOffset end() const { return end_; }
  [[nodiscard]] bool placed() const { return read_count_ != 0; }
  [[nodiscard]] bool attached() const { return slab_.data() != nullptr; }
  [[nodiscard]] Slab& slab() { return slab_; }
  [[nodiscard]] const LoadPlace& where() const { return place_; }
  /// Bytes of memory it needs (before rounding).
  [[nodiscard]] std::size_t memory_bytes() const { return memory_for(end_ - begin_); }

  [[nodiscard]] std::size_t reads() const { return read_count_; }
  [[nodiscard]] LoadRead& read(std::size_t i) { return reads_[i]; }
  /// The read that brings `offset`, which lies in the load.
  [[nodiscard]] std::size_t read_at(ScanOffset offset) const;
  /// The first bytes of [from, to) that `read` could not bring, as a range of the scan.
  [[nodiscard]] std::optional<ScanRange> bad_in(const LoadRead& read, ScanOffset from,
                                                ScanOffset to) const;
  /// Where the scan's byte `offset` is, or will be, once aimed.
  [[nodiscard]] std::byte* address(ScanOffset offset) const { return payload_ + (offset - begin_); }
  /// The bytes behind the payload, once they are read.
  [[nodiscard]] Bytes tail() const { return {address(end_), place_.tail_bytes}; }

  void reference() { references_.fetch_add(1, std::memory_order_relaxed); }
  /// Drops a reference; with the last one the load goes back to its stream. Takes the stream's
  /// mutex then, so never call it with that held.
  void release();

  void pin() {
    pins_.fetch_add(1, std::memory_order_relaxed);
    reference();
  }
  void unpin() {
    pins_.fetch_sub(1, std::memory_order_relaxed);
    release();
  }
  [[nodiscard]] bool pinned() const { return pins_.load(std::memory_order_relaxed) != 0; }

  /// Reads not yet issued are dropped.
  void cancel() { cancelled_.store(true, std::memory_order_relaxed); }
  [[nodiscard]] bool cancelled() const { return cancelled_.load(std::memory_order_relaxed); }
  void set_given_to_pipe() { given_to_pipe_.store(true, std::memory_order_relaxed); }
  [[nodiscard]] StreamState& stream() const { return *stream_; }

  // Links of the lists a load may be in; it can be in both at a time.
  BlockLoad* next_to_start = nullptr;
  BlockLoad* next_to_release = nullptr;  ///< also links the spare loads of a stream
  /// Why it will never be placed (an errno), or 0; guarded by the stream's mutex.
  int failure = 0;
  bool late = false;         ///< its disk had stood idle when it was placed; guarded likewise
  std::size_t searches = 0;  ///< for its block, still under way; guarded likewise
  int search_error = 0;      ///< of one of them

 private:
  static constexpr std::size_t kLargestAlignment = 4096;  ///< what every slab has

  std::shared_ptr<StreamState> stream_;
  ScanOffset begin_, end_;
  LoadPlace place_;
  std::byte* payload_ = nullptr;
  std::size_t payload_shift_ = 0;  ///< bytes read before `begin`, for alignment
  std::size_t read_count_ = 0;
  Slab slab_;
  std::atomic<std::uint32_t> references_{0};
  std::atomic<std::uint32_t> pins_{0};
  std::atomic<bool> cancelled_{false};
  std::atomic<bool> given_to_pipe_{false};
  std::array<LoadRead, kMaxReads> reads_;
};

}  // namespace mark6
