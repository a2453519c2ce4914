// SPDX-License-Identifier: MIT
// A read backend that does what the test says: it changes what a real backend brings back. The seam
// is ReadEngineOptions::backend, so the engine above it is the one that ships.
#pragma once

#include <functional>
#include <memory>
#include <mutex>
#include <set>
#include <unordered_map>
#include <utility>
#include <vector>

#include "common/read/read_backend.hpp"
#include "common/read/thread_backend.hpp"

namespace mark6::test {

/// Reads of these disks do not come back until they are let go of.
class HungDisks {
 public:
  void hang(std::uint32_t disk, bool hung) {
    const std::lock_guard lock(mutex_);
    if (hung) {
      hung_.insert(disk);
    } else {
      hung_.erase(disk);
    }
  }
  [[nodiscard]] bool is_hung(std::uint32_t disk) const {
    const std::lock_guard lock(mutex_);
    return hung_.contains(disk);
  }

 private:
  mutable std::mutex mutex_;
  std::set<std::uint32_t> hung_;
};

/// What a fault makes of a completion: gets the read and its result, gives the new result.
using Fault = std::function<std::int64_t(const BackendRead&, std::int64_t result)>;

class FaultBackend final : public ReadBackend {
 public:
  FaultBackend(std::unique_ptr<ReadBackend> inner, Fault fault)
      : inner_(std::move(inner)), fault_(std::move(fault)) {}

  bool queue(const BackendRead& read) override {
    reads_[read.tag] = read;
    return inner_->queue(read);
  }
  void wait(std::vector<BackendCompletion>& done, std::int64_t timeout_ns) override {
    inner_->wait(done, timeout_ns);
    for (BackendCompletion& completion : done) {
      completion.result = fault_(reads_.at(completion.tag), completion.result);
    }
  }
  void wake() override { inner_->wake(); }
  [[nodiscard]] const char* name() const override { return "faults"; }

 private:
  std::unique_ptr<ReadBackend> inner_;
  Fault fault_;
  std::unordered_map<void*, BackendRead> reads_;
};

/// A factory of thread backends whose completions go through `fault` (called on the reaper).
inline BackendFactory faulty(Fault fault) {
  return [fault = std::move(fault)](std::size_t disks,
                                    std::size_t depth) -> Result<std::unique_ptr<ReadBackend>> {
    return std::make_unique<FaultBackend>(make_thread_backend(disks, depth), fault);
  };
}

/// Keeps the answers of hung disks back; looks every few ms whether it may let them go.
class HangingBackend final : public ReadBackend {
 public:
  HangingBackend(std::unique_ptr<ReadBackend> inner, std::shared_ptr<const HungDisks> hung)
      : inner_(std::move(inner)), hung_(std::move(hung)) {}

  bool queue(const BackendRead& read) override {
    disks_[read.tag] = read.disk.value;
    return inner_->queue(read);
  }
  void wait(std::vector<BackendCompletion>& done, std::int64_t timeout_ns) override {
    constexpr std::int64_t kLookNs = 5'000'000;
    const bool patient = timeout_ns < 0 || timeout_ns > kLookNs;
    inner_->wait(done, patient ? kLookNs : timeout_ns);
    done.insert(done.end(), kept_.begin(), kept_.end());
    kept_.clear();
    std::erase_if(done, [this](const BackendCompletion& completion) {
      if (!hung_->is_hung(disks_.at(completion.tag))) return false;
      kept_.push_back(completion);
      return true;
    });
  }
  void wake() override { inner_->wake(); }
  [[nodiscard]] const char* name() const override { return "hanging"; }

 private:
  std::unique_ptr<ReadBackend> inner_;
  std::shared_ptr<const HungDisks> hung_;
  std::unordered_map<void*, std::uint32_t> disks_;
  std::vector<BackendCompletion> kept_;
};

inline BackendFactory hanging(std::shared_ptr<const HungDisks> hung) {
  return [hung = std::move(hung)](std::size_t disks,
                                  std::size_t depth) -> Result<std::unique_ptr<ReadBackend>> {
    return std::make_unique<HangingBackend>(make_thread_backend(disks, depth), hung);
  };
}

/// Bytes of a file that the disk cannot give, found by the descriptors a fragment is read through.
struct BadBytes {
  int direct_fd = -1;
  int buffered_fd = -1;
  std::uint64_t begin = 0;
  std::uint64_t end = 0;
  [[nodiscard]] bool hit(const BackendRead& read) const {
    return (read.fd == direct_fd || read.fd == buffered_fd) && read.offset < end &&
           begin < read.offset + read.length;
  }
};

/// Every read that touches one of `bad` fails with `error`.
inline BackendFactory bad_sectors(std::vector<BadBytes> bad, int error) {
  return faulty([bad = std::move(bad), error](const BackendRead& read, std::int64_t result) {
    for (const BadBytes& bytes : bad) {
      if (bytes.hit(read)) return std::int64_t{-error};
    }
    return result;
  });
}

}  // namespace mark6::test
