// SPDX-License-Identifier: MIT
// Each disk has a loop of two reads: when one comes back, on the engine's reaper thread, it is sent
// out again to the next place. Between measurements the loops rest, and belong to whoever measures.
#include "tools/diagnose_reader.hpp"

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <utility>

#include "common/base/clock.hpp"
#include "common/os/slab.hpp"
#include "tools/diagnose_cpu.hpp"
#include "tools/diagnose_hung.hpp"
#include "tools/diagnose_places.hpp"

namespace mark6 {
namespace {

using std::chrono::milliseconds;

/// Failed reads of one measurement after which a disk is left alone: a dead one fails at once.
constexpr std::uint64_t kMostErrors = 50;
/// Whoever asked to stop does not wait for long.
constexpr double kStoppedTimeoutS = 2;
constexpr milliseconds kLook{20};
constexpr std::int64_t kTickNs = 200'000'000;

double per_second(double amount, std::int64_t ns) { return ns > 0 ? amount / seconds(ns) : 0; }

}  // namespace

double GroupMeasure::rate(std::size_t i) const {
  return per_second(static_cast<double>(activity[i].bytes), elapsed_ns);
}

double GroupMeasure::total_rate() const {
  return per_second(static_cast<double>(bytes()), elapsed_ns);
}

std::uint64_t GroupMeasure::bytes() const {
  std::uint64_t sum = 0;
  for (const DiskActivity& disk : activity) sum += disk.bytes;
  return sum;
}

double GroupMeasure::cpu_s_per_gb() const {
  return bytes() > 0 ? cpu_s / (1e-9 * static_cast<double>(bytes())) : 0;
}

bool GroupMeasure::cpu_bound() const {
  constexpr double kAll = 0.95;
  // One thread submits and reaps: it can use one CPU.
  return machine_busy.value_or(0) >= kAll || per_second(cpu_s, elapsed_ns) >= kAll;
}

/// Who waits for loops to come to rest.
struct PackReader::Shared {
  std::mutex mutex;
  std::condition_variable_any rested;
};

class PackReader::DiskLoop {
 public:
  DiskLoop(Shared& shared, DiskIndex disk, std::vector<DataFile> files, std::size_t depth)
      : shared_(shared), files_(std::move(files)), places_(sizes(files_)) {
    for (std::size_t i = 0; i < depth; ++i) {
      reads_.push_back(std::make_unique<Read>(*this));
      reads_.back()->disk = disk;
    }
  }

  /// Memory for the reads. Errors: kIo.
  Result<void> allocate() {
    auto slab = Slab::allocate(reads_.size() * ReadPlaces::kUnitBytes);
    if (!slab) return Failure(slab.error());
    slab_ = std::move(*slab);
    slab_.populate(0, slab_.size());
    for (std::size_t i = 0; i < reads_.size(); ++i) {
      reads_[i]->into = slab_.data() + i * ReadPlaces::kUnitBytes;
    }
    return {};
  }

  void begin(ReadEngine& engine) {
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
  void end() { going_.store(false, std::memory_order_relaxed); }
  [[nodiscard]] bool at_rest() const { return in_flight_.load(std::memory_order_acquire) == 0; }

  [[nodiscard]] bool readable() const { return !places_.empty(); }
  [[nodiscard]] std::uint64_t data_bytes() const {
    return places_.units() * ReadPlaces::kUnitBytes;
  }
  [[nodiscard]] bool direct() const {
    return std::all_of(files_.begin(), files_.end(),
                       [](const DataFile& file) { return file.direct_fd() >= 0; });
  }
  /// What it has read since the start, good or bad: cheaper to look at than the counters, whose
  /// histograms are copied.
  struct Progress {
    std::uint64_t requests = 0;
    std::uint64_t bytes = 0;
  };
  [[nodiscard]] Progress progress() const {
    return {requests_.load(std::memory_order_relaxed), bytes_.load(std::memory_order_relaxed)};
  }
  bool hung = false;  ///< whoever measures
  std::atomic<std::uint64_t> errors{0};
  std::atomic<int> last_error{0};

 private:
  class Read final : public ReadRequest {
   public:
    explicit Read(DiskLoop& loop) : loop_(loop) {}
    void finished(int error) override { loop_.came_back(*this, error); }
    [[nodiscard]] bool wanted() const override { return true; }

   private:
    DiskLoop& loop_;
  };

  static std::vector<std::uint64_t> sizes(const std::vector<DataFile>& files) {
    std::vector<std::uint64_t> sizes;
    for (const DataFile& file : files) sizes.push_back(file.size());
    return sizes;
  }

  void aim(Read& read) {
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
  void came_back(Read& read, int error) {
    requests_.fetch_add(1, std::memory_order_relaxed);
    if (error == 0) {
      bytes_.fetch_add(read.needed, std::memory_order_relaxed);
    } else {
      errors.fetch_add(1, std::memory_order_relaxed);
      last_error.store(error, std::memory_order_relaxed);
      if (errors_left_ > 0) --errors_left_;
    }
    if (going_.load(std::memory_order_relaxed) && errors_left_ > 0) {
      aim(read);
      engine_->submit(&read, &read);
      return;
    }
    const std::lock_guard lock(shared_.mutex);
    in_flight_.fetch_sub(1, std::memory_order_release);
    shared_.rested.notify_all();
  }

  Shared& shared_;
  std::vector<DataFile> files_;
  ReadPlaces places_;
  Slab slab_;
  std::vector<std::unique_ptr<Read>> reads_;
  ReadEngine* engine_ = nullptr;
  std::uint64_t next_ = 0;  ///< the reaper's while in flight, as is:
  std::uint64_t errors_left_ = 0;
  std::atomic<std::uint64_t> requests_{0}, bytes_{0};
  std::atomic<bool> going_{false};
  std::atomic<std::size_t> in_flight_{0};
};

PackReader::PackReader(const Options& options)
    : options_(options), shared_(std::make_unique<Shared>()) {}

PackReader::~PackReader() { engine_.reset(); }  // before what its reads point to

Result<std::unique_ptr<PackReader>> PackReader::start(std::vector<std::vector<DataFile>> disks,
                                                      const Options& options) {
  std::unique_ptr<PackReader> reader(new PackReader(options));
  for (std::size_t i = 0; i < disks.size(); ++i) {
    reader->loops_.push_back(std::make_unique<DiskLoop>(*reader->shared_,
                                                        DiskIndex(static_cast<std::uint32_t>(i)),
                                                        std::move(disks[i]), options.depth));
    if (!reader->loops_.back()->readable()) continue;
    if (auto ready = reader->loops_.back()->allocate(); !ready) return Failure(ready.error());
  }
  auto engine = ReadEngine::start(
      reader->loops_.size(),
      {.depth = options.depth, .memory_bytes = 0, .backend = options.backend, .page_cache = false});
  if (!engine) return Failure(engine.error());
  reader->engine_ = std::move(*engine);
  return reader;
}

void PackReader::finish(std::unique_ptr<PackReader> reader) {
  const bool owed = std::any_of(reader->loops_.begin(), reader->loops_.end(),
                                [](const auto& loop) { return !loop->at_rest(); });
  if (owed) given_up().emplace_back(std::move(reader));
}

/// The loops of one measurement, and what they have read since the last reset().
class PackReader::Lap {
 public:
  Lap(PackReader& reader, const std::vector<std::size_t>& disks) {
    for (const std::size_t disk : disks) loops_.push_back(reader.loops_[disk].get());
    reset();
  }
  void begin(ReadEngine& engine) {
    for (DiskLoop* loop : loops_) loop->begin(engine);
  }
  void end() {
    for (DiskLoop* loop : loops_) loop->end();
  }
  void reset() {
    since_.clear();
    for (const DiskLoop* loop : loops_) since_.push_back(loop->progress());
    since_ns_ = monotonic_ns();
  }
  [[nodiscard]] std::int64_t elapsed_ns() const { return monotonic_ns() - since_ns_; }

  /// Whether each disk has read so much.
  [[nodiscard]] bool all_have(std::uint64_t requests, std::uint64_t bytes) const {
    for (std::size_t i = 0; i < loops_.size(); ++i) {
      const auto now = loops_[i]->progress();
      if (now.requests - since_[i].requests < requests || now.bytes - since_[i].bytes < bytes) {
        return false;
      }
    }
    return true;
  }
  [[nodiscard]] double rate() const {
    std::uint64_t bytes = 0;
    for (std::size_t i = 0; i < loops_.size(); ++i) {
      bytes += loops_[i]->progress().bytes - since_[i].bytes;
    }
    return per_second(static_cast<double>(bytes), elapsed_ns());
  }
  [[nodiscard]] bool warm(const ReadWindow& window) const {
    return seconds(elapsed_ns()) >= window.warm_up_s || all_have(0, window.warm_up_bytes);
  }
  [[nodiscard]] bool over(const ReadWindow& window) const {
    const double passed = seconds(elapsed_ns());
    if (window.enough_bytes > 0 && passed >= window.least_s && all_have(0, window.enough_bytes)) {
      return true;
    }
    return passed >= window.seconds &&
           (passed >= window.patience_s || all_have(ReadWindow::kFewRequests, 0));
  }

 private:
  std::vector<DiskLoop*> loops_;
  std::vector<DiskLoop::Progress> since_;
  std::int64_t since_ns_ = 0;
};

std::vector<DiskActivity> PackReader::look_at(const std::vector<std::size_t>& disks) const {
  std::vector<DiskActivity> looks;
  const std::int64_t now = monotonic_ns();
  for (const std::size_t disk : disks) {
    looks.push_back(
        DiskActivity::of(engine_->counters(DiskIndex(static_cast<std::uint32_t>(disk))), now));
  }
  return looks;
}

GroupMeasure PackReader::measure(std::span<const std::size_t> disks, const ReadWindow& window,
                                 const std::stop_token& stop,
                                 const std::function<void(double)>& tick) {
  GroupMeasure measure;
  for (const std::size_t disk : disks) {
    if (readable(disk) && !hung(disk)) measure.disks.push_back(disk);
  }
  if (measure.disks.empty()) return measure;
  const auto pause = [&] {
    std::unique_lock lock(shared_->mutex);
    shared_->rested.wait_for(lock, stop, kLook, [] { return false; });
    return !stop.stop_requested();
  };
  Lap lap(*this, measure.disks);
  lap.begin(*engine_);
  while (!lap.warm(window) && pause()) {
  }
  const std::vector<DiskActivity> before = look_at(measure.disks);
  const CpuClock cpu;
  lap.reset();
  std::int64_t ticked_ns = 0;
  while (pause() && !lap.over(window)) {
    if (!tick || lap.elapsed_ns() - ticked_ns < kTickNs) continue;
    ticked_ns = lap.elapsed_ns();
    tick(lap.rate());
  }
  measure.cpu_s = cpu.own_s();
  measure.machine_busy = cpu.machine_busy();
  measure.activity = look_at(measure.disks);
  measure.elapsed_ns = lap.elapsed_ns();
  lap.end();
  for (std::size_t i = 0; i < before.size(); ++i) {
    measure.activity[i] = measure.activity[i].since(before[i]);
  }
  drain(measure.disks, stop);
  return measure;
}

void PackReader::drain(std::span<const std::size_t> disks, const std::stop_token& stop) {
  const auto rested = [&] {
    return std::all_of(disks.begin(), disks.end(),
                       [this](std::size_t disk) { return loops_[disk]->at_rest(); });
  };
  const auto timeout = [](double s) { return std::chrono::duration<double>(s); };
  std::unique_lock lock(shared_->mutex);
  if (!shared_->rested.wait_for(lock, stop, timeout(options_.timeout_s), rested) &&
      stop.stop_requested()) {
    shared_->rested.wait_for(lock, timeout(std::min(options_.timeout_s, kStoppedTimeoutS)), rested);
  }
  for (const std::size_t disk : disks) loops_[disk]->hung = !loops_[disk]->at_rest();
}

bool PackReader::hung(std::size_t disk) const { return loops_[disk]->hung; }
bool PackReader::readable(std::size_t disk) const { return loops_[disk]->readable(); }
std::uint64_t PackReader::data_bytes(std::size_t disk) const { return loops_[disk]->data_bytes(); }
bool PackReader::direct(std::size_t disk) const { return loops_[disk]->direct(); }
std::uint64_t PackReader::errors(std::size_t disk) const { return loops_[disk]->errors; }
int PackReader::last_error(std::size_t disk) const { return loops_[disk]->last_error; }

}  // namespace mark6
