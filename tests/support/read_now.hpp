// SPDX-License-Identifier: MIT
// A read of a stream as a test wants it: it waits, and gives the bytes.
#pragma once

#include <future>
#include <memory>
#include <string>

#include "common/read/scan_stream.hpp"

namespace mark6::test {

class WaitingRead final : public ReadOperation {
 public:
  /// Whoever waits may be gone, and this object with it, before set_value() returns.
  void on_ready() override {
    const auto kept = ready;
    kept->set_value();
  }
  std::shared_ptr<std::promise<void>> ready = std::make_shared<std::promise<void>>();
};

/// The bytes of one read, or "error N".
inline std::string read_now(ScanStream& stream, std::uint64_t offset, std::size_t length) {
  WaitingRead operation;
  if (!stream.read(ScanOffset(offset), length, operation)) operation.ready->get_future().wait();
  if (operation.error() != 0) return "error " + std::to_string(operation.error());
  std::string all;
  for (const iovec& part : operation.parts()) {
    all.append(static_cast<const char*>(part.iov_base), part.iov_len);
  }
  if (all.size() != operation.bytes()) return "parts that do not add up";
  return all;
}

}  // namespace mark6::test
