// SPDX-License-Identifier: MIT
// Keeps one disk reading: a few reads in flight, each sent out again to the next place when it
// comes back, on the engine's reaper thread. At rest a loop belongs to whoever measures.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

#include "common/base/error.hpp"
#include "common/base/units.hpp"
#include "common/os/file.hpp"
#include "common/os/slab.hpp"
#include "common/read/read_engine.hpp"
#include "tools/diagnose_places.hpp"

namespace mark6 {

/// Tells whoever waits that a read has not been sent out again.
struct LoopSignal {
  std::mutex mutex;
  std::condition_variable_any rested;
};

class DiskLoop {
 public:
  /// Of disk `disk` of the engine, with `depth` reads in flight. `signal` outlives it.
  DiskLoop(LoopSignal& signal, DiskIndex disk, std::vector<DataFile> files, std::size_t depth);
  ~DiskLoop();
  DiskLoop(const DiskLoop&) = delete;
  DiskLoop& operator=(const DiskLoop&) = delete;

  /// Whether there is anything to read.
  [[nodiscard]] bool readable() const { return !places_.empty(); }
  /// Takes the memory for the reads. Errors: kIo.
  Result<void> allocate();

  /// Reads from now on, beginning with the outermost place. Only at rest, and after allocate().
  void begin(ReadEngine& engine);
  /// No read goes out any more; at_rest() when the last one is back.
  void end() { going_.store(false, std::memory_order_relaxed); }
  [[nodiscard]] bool at_rest() const { return in_flight_.load(std::memory_order_acquire) == 0; }

  /// What it has read since it was made: cheaper to look at than the engine's counters, whose
  /// histograms are copied.
  struct Progress {
    std::uint64_t requests = 0;  ///< good or bad
    std::uint64_t bytes = 0;
  };
  [[nodiscard]] Progress progress() const;
  /// Reads that failed since it was made, and the errno of the last of them.
  [[nodiscard]] std::uint64_t errors() const { return errors_.load(std::memory_order_relaxed); }
  [[nodiscard]] int last_error() const { return last_error_.load(std::memory_order_relaxed); }

  [[nodiscard]] std::uint64_t data_bytes() const;
  /// Whether all files are read around the page cache.
  [[nodiscard]] bool direct() const;

  /// It owes an answer for too long. Kept here for whoever measures.
  bool hung = false;

 private:
  class Read;
  void aim(Read& read);
  void came_back(Read& read, int error);

  LoopSignal& signal_;
  std::vector<DataFile> files_;
  ReadPlaces places_;
  Slab slab_;
  std::vector<std::unique_ptr<Read>> reads_;
  ReadEngine* engine_ = nullptr;
  std::uint64_t next_ = 0;         ///< the reaper's while reads are in flight, and so is
  std::uint64_t errors_left_ = 0;  ///< this
  std::atomic<std::uint64_t> requests_{0}, bytes_{0}, errors_{0};
  std::atomic<int> last_error_{0};
  std::atomic<bool> going_{false};
  std::atomic<std::size_t> in_flight_{0};
};

}  // namespace mark6
