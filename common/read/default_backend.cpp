// SPDX-License-Identifier: MIT
#include "common/base/log.hpp"
#include "common/read/read_backend.hpp"
#include "common/read/thread_backend.hpp"
#include "common/read/uring_backend.hpp"

namespace mark6 {

BackendFactory default_backend() {
  return [](std::size_t disks, std::size_t depth) -> Result<std::unique_ptr<ReadBackend>> {
    auto ring = make_uring_backend(disks, depth);
    if (ring) return ring;
    spdlog::warn("{}; reading with threads instead, at a little more CPU", describe(ring.error()));
    return make_thread_backend(disks, depth);
  };
}

}  // namespace mark6
