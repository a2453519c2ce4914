// SPDX-License-Identifier: MIT
#include "common/catalog/scan_opener.hpp"

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <condition_variable>
#include <deque>
#include <exception>
#include <mutex>
#include <thread>
#include <utility>

#include "common/catalog/start_time.hpp"

namespace mark6 {
namespace {

/// 2100-01-01. The date of a file is whatever somebody set; it only has to resolve a time code.
constexpr std::int64_t kLastSensibleDate = 4'102'444'800;

/// A scan on its way. Each fragment's slots are written by the thread of its disk alone; the thread
/// that counts `left` down to 0 owns all of them.
struct Job {
  std::shared_ptr<OpenedScan> scan = std::make_shared<OpenedScan>();
  std::vector<sg::Fragment> walked;
  std::vector<std::string> problems;  ///< one per fragment, empty where there is none
  std::atomic<std::size_t> left{0};
  ScanOpener::Callback done;
};

/// One fragment to be walked.
struct Task {
  std::shared_ptr<Job> job;
  std::size_t fragment = 0;
};

/// A file whose reads fail once the opener is being destroyed: a walk of millions of blocks then
/// ends at its next read.
class StoppableSource final : public ByteSource {
 public:
  StoppableSource(DataFile& file, const std::atomic<bool>& stopping)
      : file_(file), stopping_(stopping) {}
  [[nodiscard]] std::uint64_t size() const override { return file_.size(); }
  Result<std::size_t> read_at(FileOffset offset, MutableBytes into) override {
    if (stopping_) return failure(ErrorCode::kInterrupted, file_.path(), "stopped");
    return file_.read_at(offset, into);
  }

 private:
  DataFile& file_;
  const std::atomic<bool>& stopping_;
};

/// What stands for a fragment that could not be read at all.
sg::Fragment unreadable(std::uint64_t file_bytes, std::string reason) {
  sg::Fragment fragment;
  fragment.file_bytes = file_bytes;
  fragment.damage.push_back(sg::Damage{
      .kind = sg::DamageKind::kIoError, .offset = FileOffset(0), .detail = std::move(reason)});
  fragment.damage_count = 1;
  return fragment;
}

void note_failure(Job& job, std::size_t i, const std::string& reason) {
  job.problems[i] = reason;
  job.walked[i] = unreadable(job.scan->fragments[i].size_bytes, reason);
}

void walk(Job& job, std::size_t i, const std::atomic<bool>& stopping) {
  auto file = DataFile::open(job.scan->fragments[i].path);
  if (!file) {
    Error error = file.error();
    if (error.errno_value == EMFILE || error.errno_value == ENFILE) {
      error.advice = "raise the limit of open files (ulimit -n 65536; LimitNOFILE= in a unit file)";
    }
    note_failure(job, i, describe(error));
    return;
  }
  StoppableSource source(*file, stopping);
  job.walked[i] = sg::walk_fragment(source);
  job.scan->files[i] = std::move(*file);
}

void finish(Job& job) {
  OpenedScan& scan = *job.scan;
  for (std::string& problem : job.problems) {
    if (!problem.empty()) scan.open_problems.push_back(std::move(problem));
  }
  scan.index = sg::ScanIndex::merge(std::move(job.walked));
  const auto source = [&scan](FragmentIndex i) -> ByteSource* {
    auto& file = scan.files[i.value];
    return file ? &*file : nullptr;
  };
  const auto date = [&scan](FragmentIndex i) {
    return std::clamp<std::int64_t>(scan.fragments[i.value].mtime_s, 0, kLastSensibleDate);
  };
  const StartTime start = find_start(scan.index, source, date);
  scan.start_unix_s = start.unix_s;
  scan.is_mark5b = start.is_mark5b;
}

/// Runs `work`; what it throws (memory has run out) becomes a sentence, because nothing may be
/// thrown across a thread.
template <class Work>
std::optional<std::string> guarded(const Work& work) {
  try {
    work();
  } catch (const std::exception& exception) {
    return std::string("cannot make the index: ") + exception.what();
  }
  return std::nullopt;
}

}  // namespace

struct ScanOpener::State {
  /// The queue of one disk and the thread that works on it while there is something in it.
  struct DiskQueue {
    std::deque<Task> tasks;
    bool running = false;
    std::jthread thread;
  };

  std::mutex mutex;  ///< guards `queues`, never held while a disk is read
  std::vector<DiskQueue> queues;
  std::atomic<bool> stopping{false};

  DiskQueue& queue_of(DiskIndex disk) {
    return queues[std::min<std::size_t>(disk.value, queues.size() - 1)];
  }

  /// Adds a task and sees to it that the disk's thread runs; `mutex` is held.
  void add(DiskQueue& queue, Task task, bool urgent) {
    if (urgent) {
      queue.tasks.push_front(std::move(task));
    } else {
      queue.tasks.push_back(std::move(task));
    }
    if (queue.running) return;
    queue.running = true;
    // Assigning joins the thread before, which has let go of the mutex for the last time.
    queue.thread = std::jthread([this, &queue] { work(queue); });
  }

  void work(DiskQueue& queue) {
    while (true) {
      Task task;
      {
        const std::lock_guard lock(mutex);
        if (queue.tasks.empty() || stopping) {
          queue.running = false;
          return;
        }
        task = std::move(queue.tasks.front());
        queue.tasks.pop_front();
      }
      run(task);
    }
  }

  void run(const Task& task) const {
    Job& job = *task.job;
    if (task.fragment < job.walked.size()) {
      const auto problem = guarded([&] { walk(job, task.fragment, stopping); });
      if (problem) note_failure(job, task.fragment, *problem);
    }
    if (job.left.fetch_sub(1) != 1 || stopping) return;
    const auto problem = guarded([&] { finish(job); });
    if (problem) job.scan->open_problems.push_back(*problem);
    job.done(std::move(job.scan));
  }
};

ScanOpener::ScanOpener(std::size_t disks) : state_(std::make_unique<State>()) {
  state_->queues = std::vector<State::DiskQueue>(std::max<std::size_t>(disks, 1));
}

ScanOpener::~ScanOpener() {
  {
    const std::lock_guard lock(state_->mutex);
    state_->stopping = true;
  }
  for (auto& queue : state_->queues) {
    if (queue.thread.joinable()) queue.thread.join();
  }
}

void ScanOpener::open(const Scan& scan, bool urgent, Callback done) {
  const auto job = std::make_shared<Job>();
  const std::size_t count = scan.fragments.size();
  job->scan->name = scan.name;
  job->scan->fragments = scan.fragments;
  job->scan->files.resize(count);
  job->walked.resize(count);
  job->problems.resize(count);
  job->left = std::max<std::size_t>(count, 1);
  job->done = std::move(done);
  const std::lock_guard lock(state_->mutex);
  if (state_->stopping) return;
  // A scan without fragments still is merged and answered on a disk thread, as all others.
  if (count == 0) state_->add(state_->queues.front(), Task{job, 0}, urgent);
  for (std::size_t i = 0; i < count; ++i) {
    // Urgent tasks go in backwards, so that those of one disk stay in their order.
    const std::size_t next = urgent ? count - 1 - i : i;
    state_->add(state_->queue_of(scan.fragments[next].disk), Task{job, next}, urgent);
  }
}

OpenedScanPtr open_scan(const Scan& scan, std::size_t disks) {
  std::mutex mutex;
  std::condition_variable changed;
  OpenedScanPtr opened;
  ScanOpener opener(disks);
  opener.open(scan, false, [&](OpenedScanPtr result) {
    const std::lock_guard lock(mutex);
    opened = std::move(result);
    changed.notify_one();
  });
  std::unique_lock lock(mutex);
  changed.wait(lock, [&opened] { return opened != nullptr; });
  return opened;
}

}  // namespace mark6
