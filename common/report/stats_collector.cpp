// SPDX-License-Identifier: MIT
#include "common/report/stats_collector.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <utility>

#include "common/account/stream_verdict.hpp"
#include "common/base/clock.hpp"

namespace mark6 {
namespace {

/// So many scans are summed up by name; streams of others are added to an entry without a name.
constexpr std::size_t kMostEnded = 1000;

double unix_seconds() {
  return std::chrono::duration<double>(std::chrono::system_clock::now().time_since_epoch()).count();
}

}  // namespace

/// From one look to another, with the verdicts on it.
struct StatsCollector::Span {
  std::shared_ptr<const Look> before;  ///< nullptr: since the program began
  const Look* now = nullptr;
  std::int64_t elapsed_ns = 0;
  std::vector<DiskActivity> disks;
  std::vector<DiskVerdict> verdicts;

  Span(std::shared_ptr<const Look> from, const Look& until, std::int64_t began_ns)
      : before(std::move(from)),
        now(&until),
        elapsed_ns(until.at_ns - (before == nullptr ? began_ns : before->at_ns)) {
    for (std::size_t i = 0; i < until.disks.size(); ++i) {
      const DiskActivity& activity = until.disks[i].activity;
      disks.push_back(knows(i) ? activity.since(before->disks[i].activity) : activity);
    }
    verdicts = judge_disks(disks, elapsed_ns);
  }

  [[nodiscard]] bool knows(std::size_t disk) const {
    return before != nullptr && disk < before->disks.size();
  }

  [[nodiscard]] DeviceFigures figures(std::size_t i) const {
    const DeviceCounters::Snapshot& counters = now->disks[i].counters;
    DeviceFigures figures =
        knows(i) ? figures_since(before->disks[i].counters, counters, disks[i].latency)
                 : figures_of(counters, disks[i].latency);
    figures.stall_s = seconds(disks[i].stall_ns);
    return figures;
  }
};

StatsCollector::StatsCollector(std::string program, std::string target, std::int64_t now_ns)
    : program_(std::move(program)), target_(std::move(target)), began_ns_(now_ns) {}

void StatsCollector::add_disk(std::string module, std::string disk,
                              const DeviceCounters& counters) {
  const std::lock_guard lock(mutex_);
  disks_.push_back({std::move(module), std::move(disk), &counters, {}});
}

std::size_t StatsCollector::disks() const {
  const std::lock_guard lock(mutex_);
  return disks_.size();
}

void StatsCollector::set_identity(std::size_t disk, DeviceIdentity identity) {
  const std::lock_guard lock(mutex_);
  if (disk < disks_.size()) disks_[disk].identity = std::move(identity);
}

void StatsCollector::set_blocks(std::vector<std::optional<std::uint64_t>> blocks) {
  const std::lock_guard lock(mutex_);
  blocks_ = std::move(blocks);
}

StatsCollector::Stream StatsCollector::add_stream(std::string scan, std::uint64_t total_bytes,
                                                  std::function<StreamSample()> sample) {
  const std::lock_guard lock(mutex_);
  const std::uint64_t id = next_stream_++;
  streams_.emplace(id, LiveStream{std::move(scan), total_bytes, std::move(sample)});
  return {*this, id};
}

StatsCollector::Stream::Stream(Stream&& other) noexcept
    : collector_(std::exchange(other.collector_, nullptr)), id_(other.id_) {}

StatsCollector::Stream& StatsCollector::Stream::operator=(Stream&& other) noexcept {
  std::swap(collector_, other.collector_);
  std::swap(id_, other.id_);
  return *this;
}

StatsCollector::Stream::~Stream() {
  if (collector_ != nullptr) collector_->end_stream(id_);
}

void StatsCollector::end_stream(std::uint64_t id) {
  const std::lock_guard lock(mutex_);
  const auto place = streams_.find(id);
  if (place == streams_.end()) return;
  const StreamSample last = place->second.sample();
  ended_stall_ns_.resize(std::max(ended_stall_ns_.size(), last.time.disk_ns.size()));
  for (std::size_t i = 0; i < last.time.disk_ns.size(); ++i) {
    ended_stall_ns_[i] += last.time.disk_ns[i];
  }
  std::vector<std::string> labels;
  for (const Disk& disk : disks_) labels.push_back(label_of(disk));
  std::string scan = place->second.scan;
  if (ended_.size() >= kMostEnded && !ended_.contains(scan)) scan.clear();
  const StreamStats stats =
      stream_stats(scan, last.bytes, place->second.total_bytes, last.time, labels);
  const auto [sum, is_new] = ended_.emplace(scan, stats);
  if (!is_new) mark6::add_stream(sum->second, stats);
  streams_.erase(place);
}

std::string StatsCollector::label_of(const Disk& disk) {
  return disk.module.empty() ? disk.name : disk.module + "/" + disk.name;
}

std::string StatsCollector::name_of(const Disk& disk) {
  const auto& device = disk.identity.kernel_name;
  return label_of(disk) + (device ? " (" + *device + ")" : "");
}

std::vector<std::string> StatsCollector::names() const {
  const std::lock_guard lock(mutex_);
  std::vector<std::string> names;
  for (const Disk& disk : disks_) names.push_back(name_of(disk));
  return names;
}

/// With the lock held.
StatsCollector::Look StatsCollector::look(std::int64_t now_ns) const {
  Look now;
  now.at_ns = now_ns;
  std::vector<std::int64_t> stall_ns = ended_stall_ns_;
  stall_ns.resize(std::max(stall_ns.size(), disks_.size()));
  for (const auto& [id, stream] : streams_) {
    const StreamSample& sample = now.streams.emplace(id, stream.sample()).first->second;
    for (std::size_t i = 0; i < std::min(stall_ns.size(), sample.time.disk_ns.size()); ++i) {
      stall_ns[i] += sample.time.disk_ns[i];
    }
  }
  for (std::size_t i = 0; i < disks_.size(); ++i) {
    DiskLook disk{disks_[i].counters->snapshot(now_ns),
                  DiskActivity::of(*disks_[i].counters, now_ns)};
    disk.activity.disk = name_of(disks_[i]);
    disk.activity.model = disks_[i].identity.facts.model.value_or("");
    disk.activity.stall_ns = stall_ns[i];
    if (i < blocks_.size()) disk.activity.blocks = blocks_[i];
    now.disks.push_back(std::move(disk));
  }
  return now;
}

void StatsCollector::tick(std::int64_t now_ns) {
  const std::lock_guard lock(mutex_);
  if (!looks_.empty() && now_ns - looks_.back()->at_ns < kTickNs) return;
  looks_.push_back(std::make_shared<const Look>(look(now_ns)));
  // The youngest that is old enough begins the span; those before it are of no use any more.
  while (looks_.size() > 1 && now_ns - looks_[1]->at_ns >= kSpanNs) looks_.pop_front();
}

/// With the lock held: the youngest look that is kSpanNs old, nullptr when there is none.
std::shared_ptr<const StatsCollector::Look> StatsCollector::beginning(std::int64_t now_ns) const {
  std::shared_ptr<const Look> found;
  for (const auto& candidate : looks_) {
    if (now_ns - candidate->at_ns >= kSpanNs) found = candidate;
  }
  return found;
}

DeviceStats StatsCollector::device_stats(std::size_t i, const Span& recent, const Span& all,
                                         StatsSpan wanted) const {
  DeviceStats device;
  device.module = disks_[i].module;
  device.disk = disks_[i].name;
  device.identity = disks_[i].identity;
  device.total = all.figures(i);
  device.recent = recent.figures(i);
  device.in_flight = all.now->disks[i].counters.in_flight;
  device.verdict_is_recent = wanted == StatsSpan::kRecent && recent.before != nullptr &&
                             recent.verdicts[i].judgement != Judgement::kUnknown;
  device.verdict = device.verdict_is_recent ? recent.verdicts[i] : all.verdicts[i];
  if (const std::int64_t hung_ns = all.now->disks[i].counters.hung_ns; hung_ns > 0) {
    device.verdict.judgement = Judgement::kSlow;
    device.verdict.confidence = 1;
    device.verdict.reason = fmt::format(
        "does not answer: a read has been out for {:.0f} s, and all others fail until it comes "
        "back",
        seconds(hung_ns));
  }
  if (i < blocks_.size()) device.blocks = blocks_[i];
  std::uint64_t sum = 0;
  for (const auto& blocks : blocks_) sum += blocks.value_or(0);
  if (device.blocks && sum > 0) {
    device.block_share = static_cast<double>(*device.blocks) / static_cast<double>(sum);
  }
  return device;
}

StreamStats StatsCollector::live_stats(std::uint64_t id, const Span& span) const {
  const LiveStream& live = streams_.at(id);
  const StreamSample& now = span.now->streams.at(id);
  std::vector<std::string> labels;
  for (const Disk& disk : disks_) labels.push_back(label_of(disk));
  StreamStats stream = stream_stats(live.scan, now.bytes, live.total_bytes, now.time, labels);
  StallLedger::Snapshot time = now.time;
  if (span.before != nullptr) {
    const auto before = span.before->streams.find(id);
    if (before != span.before->streams.end()) time = interval(before->second.time, now.time);
  }
  time.disk_ns.resize(disks_.size());  // the ledger may have room for disks that are none
  const StreamVerdict verdict = judge_stream(time, span.disks, span.verdicts);
  stream.limit = to_string(verdict.limit);
  stream.limit_share = verdict.share;
  stream.limit_reason = verdict.reason;
  return stream;
}

StatsSnapshot StatsCollector::snapshot(std::int64_t now_ns, StatsSpan span) {
  const std::lock_guard lock(mutex_);
  const Look now = look(now_ns);
  const Span all(nullptr, now, began_ns_);
  const auto before = beginning(now_ns);
  std::optional<Span> last;
  if (before != nullptr) last.emplace(before, now, began_ns_);
  const Span& recent = last ? *last : all;
  StatsSnapshot stats;
  stats.program = program_;
  stats.target = target_;
  stats.pid = ::getpid();
  stats.time_s = unix_seconds();
  stats.uptime_s = seconds(now_ns - began_ns_);
  stats.span_s = seconds(recent.elapsed_ns);
  stats.span_is_all = !last;
  for (std::size_t i = 0; i < disks_.size(); ++i) {
    stats.devices.push_back(device_stats(i, recent, all, span));
  }
  for (const auto& entry : streams_) {
    stats.streams.push_back(live_stats(entry.first, span == StatsSpan::kAll ? all : recent));
  }
  for (const auto& entry : ended_) stats.ended.push_back(entry.second);
  return stats;
}

}  // namespace mark6
