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
  IndexBy index_by = IndexBy::kProof;  ///< what is being tried; a proof that fails is a walk next
  std::vector<std::optional<sg::GridFragment>> grids;
  std::vector<std::optional<sg::Fragment>> walked;
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
/// ends at its next read. Counts how far the walk has come.
class WalkedSource final : public ByteSource {
 public:
  WalkedSource(DataFile& file, const std::atomic<bool>& stopping, WalkProgress* progress)
      : file_(file), stopping_(stopping), progress_(progress) {}
  [[nodiscard]] std::uint64_t size() const override { return file_.size(); }
  Result<std::size_t> read_at(FileOffset offset, MutableBytes into) override {
    if (stopping_) return failure(ErrorCode::kInterrupted, file_.path(), "stopped");
    reach(offset.value);
    return file_.read_at(offset, into);
  }
  /// All up to byte `offset` has been looked at.
  void reach(std::uint64_t offset) {
    if (progress_ == nullptr || offset <= reached_) return;
    progress_->passed_bytes += offset - reached_;
    reached_ = offset;
  }

 private:
  DataFile& file_;
  const std::atomic<bool>& stopping_;
  WalkProgress* progress_;
  std::uint64_t reached_ = 0;
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

/// Opens the file of fragment `i`, unless an earlier try has; nullptr (and a problem) when it
/// cannot be.
DataFile* open_file(Job& job, std::size_t i) {
  auto& slot = job.scan->files[i];
  if (slot) return &*slot;
  auto file = DataFile::open(job.scan->fragments[i].path);
  if (!file) {
    Error error = file.error();
    if (error.errno_value == EMFILE || error.errno_value == ENFILE) {
      error.advice = "raise the limit of open files (ulimit -n 65536; LimitNOFILE= in a unit file)";
    }
    note_failure(job, i, describe(error));
    return nullptr;
  }
  slot = std::move(*file);
  return &*slot;
}

/// What the disk's thread does for fragment `i`.
void index_fragment(Job& job, std::size_t i, const std::atomic<bool>& stopping,
                    WalkProgress* progress) {
  DataFile* file = open_file(job, i);
  if (file == nullptr) return;
  WalkedSource source(*file, stopping, progress);
  if (job.index_by == IndexBy::kProof) job.grids[i] = sg::probe_grid(source);
  // Without this fragment's grid there is no proof, and its walk will be needed anyhow.
  if (!job.grids[i]) job.walked[i] = sg::walk_fragment(source);
  source.reach(source.size());
}

/// The index from the grids of all fragments; false when they do not add up.
bool prove(Job& job) {
  OpenedScan& scan = *job.scan;
  if (job.grids.empty() ||
      !std::all_of(job.grids.begin(), job.grids.end(), [](const auto& grid) { return grid; })) {
    return false;
  }
  std::vector<sg::GridFragment> grids;
  std::vector<FragmentIndex> places;
  std::vector<std::uint64_t> sizes;
  for (std::size_t i = 0; i < job.grids.size(); ++i) {
    sizes.push_back(job.grids[i]->file_bytes);
    places.emplace_back(static_cast<std::uint16_t>(i));
    grids.push_back(*job.grids[i]);
  }
  auto grid = sg::BlockGrid::prove(std::move(grids));
  if (!grid) return false;
  scan.index = sg::ScanIndex::from_grid(std::move(*grid), sizes, std::move(places));
  return true;
}

/// Everything that needs all fragments. False: the proof has failed, and those that are not walked
/// yet must be.
bool finish(Job& job) {
  OpenedScan& scan = *job.scan;
  if (!prove(job)) {
    std::vector<sg::Fragment> fragments;
    for (auto& walked : job.walked) {
      if (!walked) return false;
    }
    for (auto& walked : job.walked) fragments.push_back(std::move(*walked));
    scan.index = sg::ScanIndex::merge(std::move(fragments));
  }
  for (std::string& problem : job.problems) {
    if (!problem.empty()) scan.open_problems.push_back(std::move(problem));
  }
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
  return true;
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
  WalkProgress* progress = nullptr;

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

  void run(const Task& task) {
    Job& job = *task.job;
    if (task.fragment < job.walked.size()) {
      const auto problem = guarded([&] { index_fragment(job, task.fragment, stopping, progress); });
      if (problem) note_failure(job, task.fragment, *problem);
    }
    if (job.left.fetch_sub(1) != 1 || stopping) return;
    bool finished = true;
    const auto problem = guarded([&] { finished = finish(job); });
    if (problem) job.scan->open_problems.push_back(*problem);
    if (finished) {
      job.done(std::move(job.scan));
    } else {
      job.index_by = IndexBy::kWalk;
      for (auto& grid : job.grids) grid.reset();
      add_all(task.job, /*urgent=*/true);
    }
  }

  /// Queues those fragments of a job that are not walked yet. Takes the mutex.
  void add_all(const std::shared_ptr<Job>& job, bool urgent) {
    const auto& fragments = job->scan->fragments;
    std::vector<std::size_t> todo;
    for (std::size_t i = 0; i < fragments.size(); ++i) {
      if (!job->walked[i]) todo.push_back(i);
    }
    job->left = std::max<std::size_t>(todo.size(), 1);
    // Urgent tasks go in backwards, so that those of one disk stay in their order.
    if (urgent) std::reverse(todo.begin(), todo.end());
    const std::lock_guard lock(mutex);
    if (stopping) return;
    // A scan without fragments still is merged and answered on a disk thread, as all others.
    if (todo.empty()) add(queues.front(), Task{job, fragments.size()}, urgent);
    for (const std::size_t i : todo) {
      add(queue_of(fragments[i].disk), Task{job, i}, urgent);
    }
  }
};

ScanOpener::ScanOpener(std::size_t disks, WalkProgress* progress)
    : state_(std::make_unique<State>()) {
  state_->progress = progress;
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

void ScanOpener::open(const Scan& scan, bool urgent, Callback done, IndexBy index_by) {
  const auto job = std::make_shared<Job>();
  const std::size_t count = scan.fragments.size();
  job->scan->name = scan.name;
  job->scan->fragments = scan.fragments;
  job->scan->files.resize(count);
  // Fragments are numbered with 16 bits in an index.
  job->index_by = count <= 0xFFFF ? index_by : IndexBy::kWalk;
  job->grids.resize(count);
  job->walked.resize(count);
  job->problems.resize(count);
  job->done = std::move(done);
  state_->add_all(job, urgent);
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

std::vector<std::optional<std::uint64_t>> blocks_by_disk(const sg::ScanIndex& index,
                                                         const std::vector<FragmentPath>& fragments,
                                                         std::size_t disks) {
  std::vector<std::optional<std::uint64_t>> blocks(disks);
  for (std::size_t i = 0; i < std::min(index.fragments().size(), fragments.size()); ++i) {
    const std::size_t disk = fragments[i].disk.value;
    if (disk < disks) blocks[disk] = blocks[disk].value_or(0) + index.fragments()[i].blocks;
  }
  return blocks;
}

}  // namespace mark6
