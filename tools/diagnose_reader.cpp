// SPDX-License-Identifier: MIT
#include "tools/diagnose_reader.hpp"

#include <algorithm>
#include <chrono>
#include <mutex>
#include <utility>

#include "common/base/clock.hpp"
#include "tools/diagnose_cpu.hpp"
#include "tools/diagnose_hung.hpp"

namespace mark6 {
namespace {

using std::chrono::milliseconds;

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

PackReader::PackReader(const Options& options)
    : options_(options), signal_(std::make_unique<LoopSignal>()) {}

PackReader::~PackReader() { engine_.reset(); }  // before what its reads point to

Result<std::unique_ptr<PackReader>> PackReader::start(std::vector<std::vector<DataFile>> disks,
                                                      const Options& options) {
  std::unique_ptr<PackReader> reader(new PackReader(options));
  for (std::size_t i = 0; i < disks.size(); ++i) {
    reader->loops_.push_back(std::make_unique<DiskLoop>(*reader->signal_,
                                                        DiskIndex(static_cast<std::uint32_t>(i)),
                                                        std::move(disks[i]), options.depth));
    if (!reader->loops_.back()->readable()) continue;
    if (auto ready = reader->loops_.back()->allocate(); !ready) return Failure(ready.error());
  }
  auto engine = ReadEngine::start(reader->loops_.size(), {.depth = options.depth,
                                                          .memory_bytes = 0,
                                                          .backend = options.backend,
                                                          .page_cache = false,
                                                          .deadline_ns = 0,
                                                          .on_hung = {}});
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
  looks.reserve(disks.size());
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
    std::unique_lock lock(signal_->mutex);
    signal_->rested.wait_for(lock, stop, kLook, [] { return false; });
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
  std::unique_lock lock(signal_->mutex);
  if (!signal_->rested.wait_for(lock, stop, timeout(options_.timeout_s), rested) &&
      stop.stop_requested()) {
    signal_->rested.wait_for(lock, timeout(std::min(options_.timeout_s, kStoppedTimeoutS)), rested);
  }
  for (const std::size_t disk : disks) loops_[disk]->hung = !loops_[disk]->at_rest();
}

bool PackReader::hung(std::size_t disk) const { return loops_[disk]->hung; }
bool PackReader::readable(std::size_t disk) const { return loops_[disk]->readable(); }
std::uint64_t PackReader::data_bytes(std::size_t disk) const { return loops_[disk]->data_bytes(); }
bool PackReader::direct(std::size_t disk) const { return loops_[disk]->direct(); }
std::uint64_t PackReader::errors(std::size_t disk) const { return loops_[disk]->errors(); }
int PackReader::last_error(std::size_t disk) const { return loops_[disk]->last_error(); }

}  // namespace mark6
