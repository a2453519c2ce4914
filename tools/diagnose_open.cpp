// SPDX-License-Identifier: MIT
// Opening the files of the disks under test and reading the headers of the largest scans'
// fragments: a thread per disk, and a deadline for all of them.
#include <fmt/format.h>
#include <sys/resource.h>

#include <algorithm>
#include <array>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <thread>
#include <utility>

#include "common/base/escape.hpp"
#include "tools/diagnose_disks.hpp"
#include "tools/diagnose_hung.hpp"
#include "tools/diagnose_places.hpp"
#include "tools/diagnose_recorder.hpp"

namespace mark6 {
namespace {

constexpr std::size_t kMostFilesPerDisk = 8;
constexpr std::size_t kMostScans = 32;
/// Disks that are not under test may hang without holding us up.
constexpr double kPeersTimeoutS = 3;

/// What the thread of one disk is to do.
struct Task {
  std::vector<std::string> to_open{};
  std::vector<std::pair<std::size_t, std::string>> to_count{};  ///< scan, fragment
};

/// And what came of it.
struct Outcome {
  bool done = false;
  std::vector<DataFile> files{};
  std::vector<std::pair<std::size_t, std::uint64_t>> blocks{};  ///< scan, blocks
  std::string problem{};  ///< the first of the files that could not be opened
};

/// Shared with the threads, which may outlive us.
struct Work {
  std::vector<Task> tasks;  ///< by place in Catalog::disks
  std::mutex mutex;
  std::condition_variable_any changed;
  std::vector<Outcome> outcomes;  ///< as the tasks
};

/// Two descriptors per file, for half of those that the process is allowed.
std::size_t files_per_disk(std::size_t disks) {
  constexpr rlim_t kUsual = 1024;
  struct rlimit limit {};
  if (::getrlimit(RLIMIT_NOFILE, &limit) != 0) limit.rlim_cur = kUsual;
  const auto budget = static_cast<std::size_t>(std::min<rlim_t>(limit.rlim_cur, 65536)) / 4;
  return std::clamp(budget / std::max<std::size_t>(disks, 1), std::size_t{1}, kMostFilesPerDisk);
}

std::optional<std::uint64_t> count_blocks(const std::string& path) {
  auto file = DataFile::open(path);
  if (!file) return std::nullopt;
  std::array<std::byte, sg::kFileHeaderBytes> bytes{};
  const auto got = file->read_at(FileOffset(0), bytes);
  if (!got || *got < bytes.size()) return std::nullopt;
  const auto header = sg::parse_file_header(bytes);
  return header ? std::optional(blocks_by_size(*header, file->size())) : std::nullopt;
}

void carry_out(Work& work, std::size_t place) {
  Outcome outcome;
  for (const std::string& path : work.tasks[place].to_open) {
    auto file = DataFile::open(path);
    if (file) {
      outcome.files.push_back(std::move(*file));
    } else if (outcome.problem.empty()) {
      outcome.problem = describe(file.error());
    }
  }
  for (const auto& [scan, path] : work.tasks[place].to_count) {
    if (const auto blocks = count_blocks(path)) outcome.blocks.emplace_back(scan, *blocks);
  }
  outcome.done = true;
  const std::lock_guard lock(work.mutex);
  work.outcomes[place] = std::move(outcome);
  work.changed.notify_all();
}

/// Disks under test have files to open; they and their peers have blocks to count.
std::vector<Task> plan(const Catalog& catalog, const std::vector<DiskUnderTest>& disks) {
  std::vector<Task> tasks(catalog.disks.size());
  for (const DiskUnderTest& disk : disks) {
    for (const auto* fragment :
         fragments_to_read(catalog, disk.disk, files_per_disk(disks.size()))) {
      tasks[disk.disk.value].to_open.push_back(fragment->path);
    }
  }
  for (const std::size_t scan : largest_scans(catalog, kMostScans)) {
    for (const FragmentPath& fragment : catalog.scans[scan].fragments) {
      tasks[fragment.disk.value].to_count.emplace_back(scan, fragment.path);
    }
  }
  return tasks;
}

/// Waits for the disks under test, for so long, and for their peers a little.
bool wait_for(Work& work, const std::vector<DiskUnderTest>& disks, double timeout_s,
              const std::stop_token& stop, std::unique_lock<std::mutex>& lock) {
  const auto span = [](double s) { return std::chrono::duration<double>(s); };
  static_cast<void>(work.changed.wait_for(lock, stop, span(timeout_s), [&] {
    return std::all_of(disks.begin(), disks.end(), [&](const DiskUnderTest& disk) {
      return work.outcomes[disk.disk.value].done;
    });
  }));
  return work.changed.wait_for(lock, stop, span(std::min(timeout_s, kPeersTimeoutS)), [&] {
    return std::all_of(work.outcomes.begin(), work.outcomes.end(),
                       [](const Outcome& outcome) { return outcome.done; });
  });
}

std::vector<Outcome> carry_out_all(const std::shared_ptr<Work>& work,
                                   const std::vector<DiskUnderTest>& disks, double timeout_s,
                                   const std::stop_token& stop) {
  std::vector<std::jthread> threads;
  for (std::size_t i = 0; i < work->tasks.size(); ++i) {
    if (work->tasks[i].to_open.empty() && work->tasks[i].to_count.empty()) {
      work->outcomes[i].done = true;
    } else {
      threads.emplace_back([work, i] { carry_out(*work, i); });
    }
  }
  std::unique_lock lock(work->mutex);
  if (!wait_for(*work, disks, timeout_s, stop, lock)) {
    given_up().push_back(std::make_shared<std::vector<std::jthread>>(std::move(threads)));
  }
  // Those who come late find room for what they bring.
  return std::exchange(work->outcomes, std::vector<Outcome>(work->tasks.size()));
}

void note(const Task& task, const Outcome& outcome, double timeout_s, DiskUnderTest& disk) {
  if (task.to_open.empty()) {
    disk.not_read = "no scans on it, nothing to read";
  } else if (!outcome.done) {
    disk.not_read =
        fmt::format("does not answer: its files could not be opened in {:.0f} s", timeout_s);
    disk.no_answer = true;
  } else if (outcome.files.empty()) {
    disk.not_read = outcome.problem;
  }
  disk.failed = !disk.not_read.empty() && !task.to_open.empty();
}

}  // namespace

std::vector<std::vector<DataFile>> open_disks(const Catalog& catalog,
                                              std::vector<DiskUnderTest>& disks, double timeout_s,
                                              const std::stop_token& stop) {
  const auto work = std::make_shared<Work>();
  work->tasks = plan(catalog, disks);
  work->outcomes = std::vector<Outcome>(work->tasks.size());
  std::vector<Outcome> outcomes = carry_out_all(work, disks, timeout_s, stop);
  std::vector<std::vector<DataFile>> files;
  for (DiskUnderTest& disk : disks) {
    Outcome& outcome = outcomes[disk.disk.value];
    note(work->tasks[disk.disk.value], outcome, timeout_s, disk);
    files.push_back(std::move(outcome.files));
  }
  std::map<std::size_t, BlocksOfScan> scans;
  for (std::size_t i = 0; i < outcomes.size(); ++i) {
    for (const auto& [scan, blocks] : outcomes[i].blocks) scans[scan][i] = blocks;
  }
  add_recorder_evidence(catalog, scans, disks);
  return files;
}

}  // namespace mark6
