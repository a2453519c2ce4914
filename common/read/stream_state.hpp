// SPDX-License-Identifier: MIT
// What a ScanStream is made of, shared with the reads it has in flight. One mutex guards it all;
// lock order: this mutex, then the pool's, the ledger's or the engine's inbox. No system call is
// made under it: loads are planned with it held and started (memory, submission) without it.
// In three files: stream_state.cpp (consumers, and reads that come back), stream_window.cpp (what
// is read ahead), stream_grid.cpp (finding out where the blocks of a grid lie).
#pragma once

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <optional>
#include <stop_token>
#include <vector>

#include "common/read/block_load.hpp"
#include "common/read/grid_placer.hpp"
#include "common/read/scan_stream.hpp"

namespace mark6 {

class PlaceSearch;

/// Some writers call a whole block a packet; to lose no more than a packet makes no sense there.
inline constexpr std::uint32_t kLargestPacketBytes = std::uint32_t{1} << 20;

class StreamState final : public BufferHolder, public std::enable_shared_from_this<StreamState> {
 public:
  StreamState(ReadEngine& engine, StreamSource source, const ScanStreamOptions& options);
  ~StreamState() override;

  Result<Piece> take(std::size_t max_bytes, const std::stop_token& stop);
  bool read(ScanOffset offset, std::size_t length, ReadOperation& operation);
  /// Lets go of the window; operations still waiting are answered when their reads come back.
  void close();

  void shrink_to(std::uint64_t bytes) override;

  /// Reaper: one read of a load is over.
  void read_finished(LoadRead& read, int error);
  /// Reaper: it is given up, but its memory must stay until read_finished() comes after all.
  void read_timed_out(LoadRead& read);
  /// A search has ended (on the reaper, or at once on a consumer's thread).
  void search_finished(const PlaceSearch& search, int error);
  /// A load has lost its last reference.
  void take_back(BlockLoad& load, Slab slab, bool given_to_pipe);

  [[nodiscard]] StallLedger& ledger() { return ledger_; }
  [[nodiscard]] std::uint64_t delivered_bytes() const;
  [[nodiscard]] std::uint64_t lost_bytes() const;
  [[nodiscard]] std::uint64_t window_bytes() const;

 private:
  /// A singly linked list of loads, for work to be done once the mutex is free.
  template <BlockLoad* BlockLoad::*kNext>
  struct LoadList {
    BlockLoad* first = nullptr;
    BlockLoad* last = nullptr;
    void push(BlockLoad& load) {
      load.*kNext = nullptr;
      (first == nullptr ? first : last->*kNext) = &load;
      last = &load;
    }
    BlockLoad* pop() {
      BlockLoad* load = first;
      if (load != nullptr) first = load->*kNext;
      return load;
    }
  };
  /// Work that a method leaves to be done without the mutex.
  struct Chores {
    LoadList<&BlockLoad::next_to_start> start;      ///< get memory; are submitted where placed
    LoadList<&BlockLoad::next_to_release> release;  ///< have left the window
    ReadOperation* ready = nullptr;                 ///< have all they waited for
    bool search = false;                            ///< cursors of the grid want a search
    BlockLoad* search_for = nullptr;                ///< this load does (more by next_to_release)
    bool join = false;
    bool leave = false;
    [[nodiscard]] bool any() const {
      return start.first != nullptr || release.first != nullptr || ready != nullptr || search ||
             search_for != nullptr || join || leave;
    }
  };
  void do_chores(Chores& chores);
  void start(BlockLoad& load);
  void submit(BlockLoad& load);
  bool wait_for_head(std::unique_lock<std::mutex>& lock, const std::stop_token& stop);
  bool prepare_memory(std::unique_lock<std::mutex>& lock);
  void search_cursors();
  void search_for(BlockLoad& load);

  // All that follows with the mutex held.
  // stream_state.cpp:
  void attach_to_window(ReadOperation& operation);
  void attach_detached(ReadOperation& operation, Chores& chores);
  void attach(ReadOperation& operation, BlockLoad& load);
  void settle(LoadRead& read, int error);
  void arrived(BlockLoad& load, ScanOffset begin, ScanOffset end, int error, Chores& chores,
               const LoadRead* read = nullptr);
  void make_ready(ReadOperation& operation);
  void charge_oldest_wait(std::int64_t now_ns);
  [[nodiscard]] std::optional<ScanOffset> head_end() const;
  [[nodiscard]] ScanOffset packet_floor(const BlockLoad& load, ScanOffset at) const;
  Error lose_bad(BlockLoad& load);
  [[nodiscard]] DiskIndex disk_owing(BlockLoad& load, ScanOffset at);
  [[nodiscard]] Error read_error(BlockLoad& load, const LoadRead& read, ScanRange lost) const;
  [[nodiscard]] Error placing_error(const BlockLoad& load) const;

  // stream_window.cpp:
  BlockLoad& new_load(ScanOffset begin, ScanOffset end, Chores& chores);
  [[nodiscard]] ScanOffset part_end(const sg::Extent& block, ScanOffset begin) const;
  void open_window(ScanOffset at, Chores& chores);
  void drop_window(Chores& chores);
  void drop_before(ScanOffset offset, Chores& chores);
  void drop_front(Chores& chores);
  void pass(ScanOffset offset);
  void note_wait(BlockLoad& load);
  void note_given(const BlockLoad& load, DiskIndex disk);
  [[nodiscard]] bool is_crowded(DiskIndex disk) const;
  [[nodiscard]] std::uint64_t all_disks_bytes() const;
  [[nodiscard]] bool may_reach_further() const;
  void note_arrival(const LoadRead& read, Chores& chores);
  bool extend_by_one(bool force, Chores& chores);
  void extend(Chores& chores);
  bool wants_window(ScanOffset offset, std::size_t length, Chores& chores);

  // stream_grid.cpp:
  void place(BlockLoad& load, const LoadPlace& where, Chores& chores);
  void place_by_cursors(Chores& chores);
  void place_at_cursor(std::size_t fragment, Chores& chores);
  void pass_by_cursor(BlockLoad& load, Chores& chores);
  void seek_cursors(Chores& chores);
  void learn_next(BlockLoad& load, int error, Chores& chores);
  void give_up_grid(int error, Chores& chores);
  void fail(BlockLoad& load, int error, Chores& chores);

  ReadEngine& engine_;
  const StreamSource source_;
  const sg::ScanIndex& index_;
  const std::size_t disks_;  ///< that hold fragments of the scan
  const bool sequential_;
  const std::uint64_t first_reach_bytes_;
  const ScanOffset end_;
  StallLedger ledger_;

  mutable std::mutex mutex_;
  std::condition_variable_any arrived_;
  std::int64_t taker_since_ns_ = 0;  ///< when take() began to wait, 0 while it does not

  bool window_open_ = false;
  std::deque<BlockLoad*> window_;         ///< loads without gaps, in scan order
  std::uint64_t window_bytes_ = 0;        ///< their memory
  std::size_t prepared_loads_ = 0;        ///< the first of them, whose memory has its pages
  std::size_t behind_loads_ = 0;          ///< the first of them, which the consumer has passed
  std::uint64_t behind_bytes_ = 0;        ///< and their memory
  std::uint64_t target_bytes_ = 0;        ///< how far it may reach now
  std::uint64_t reach_bytes_ = 0;         ///< how far it may go by the consumer's waits
  std::int64_t waited_ns_ = 0;            ///< for disks, since opened_ns_
  std::int64_t opened_ns_ = 0;            ///< when the window was opened, or last reached further
  ScanOffset next_;                       ///< where the next load begins
  std::size_t next_block_ = 0;            ///< the block that holds next_
  ScanOffset position_;                   ///< take(): next byte; read(): end of the latest read
  std::vector<std::uint32_t> reads_out_;  ///< by disk: reads of the window placed and not finished
  std::vector<bool> has_read_;            ///< by disk: whether it was ever given work
  std::vector<std::uint64_t> given_bytes_;  ///< by disk: to read, lately
  std::uint64_t given_total_bytes_ = 0;

  const std::uint32_t packet_bytes_;  ///< 0 where packets are not known, or too large

  std::optional<GridPlacer> placer_;  ///< where the index is a grid
  int grid_error_ = 0;                ///< why the grid is given up, or 0

  std::uint64_t run_bytes_ = 0;  ///< read() in a row, without a gap or inside the window
  std::size_t run_reads_ = 0;
  std::size_t misses_ = 0;  ///< reads outside the window, in a row

  std::vector<ReadOperation*> waiting_;
  std::vector<std::unique_ptr<BlockLoad>> loads_;  ///< all there are
  BlockLoad* spare_ = nullptr;                     ///< those not in use
  std::uint64_t delivered_bytes_ = 0;
  std::uint64_t lost_bytes_ = 0;
};

}  // namespace mark6
