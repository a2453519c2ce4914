// SPDX-License-Identifier: MIT
// A read backend that does what the test says: it changes what a real backend brings back. The seam
// is ReadEngineOptions::backend, so the engine above it is the one that ships.
#pragma once

#include <functional>
#include <memory>
#include <unordered_map>
#include <utility>
#include <vector>

#include "common/read/read_backend.hpp"
#include "common/read/thread_backend.hpp"

namespace mark6::test {

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
  void wait(std::vector<BackendCompletion>& done) override {
    inner_->wait(done);
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

}  // namespace mark6::test
