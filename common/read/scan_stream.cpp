// SPDX-License-Identifier: MIT
// The public face of StreamState, and the owners of memory that it hands out.
#include "common/read/scan_stream.hpp"

#include <utility>

#include "common/read/block_load.hpp"
#include "common/read/stream_state.hpp"

namespace mark6 {

Pin::Pin(BlockLoad* load) : load_(load) { load_->pin(); }
Pin::Pin(Pin&& other) noexcept : load_(std::exchange(other.load_, nullptr)) {}

Pin& Pin::operator=(Pin&& other) noexcept {
  if (this != &other) {
    BlockLoad* before = std::exchange(load_, std::exchange(other.load_, nullptr));
    if (before != nullptr) before->unpin();
  }
  return *this;
}

Pin::~Pin() {
  if (load_ != nullptr) load_->unpin();
}

void Piece::given_to_pipe() {
  if (pin_.load_ != nullptr) pin_.load_->set_given_to_pipe();
}

void ReadOperation::reset() {
  parts_.clear();
  pins_.clear();
  bytes_ = 0;
  error_ = 0;
}

std::unique_ptr<ScanStream> ScanStream::open(ReadEngine& engine, StreamSource source,
                                             const ScanStreamOptions& options) {
  return std::unique_ptr<ScanStream>(
      new ScanStream(std::make_shared<StreamState>(engine, std::move(source), options)));
}

ScanStream::ScanStream(std::shared_ptr<StreamState> state) : state_(std::move(state)) {}
ScanStream::~ScanStream() { state_->close(); }

Result<Piece> ScanStream::take(std::size_t max_bytes, const std::stop_token& stop) {
  return state_->take(max_bytes, stop);
}

bool ScanStream::read(ScanOffset offset, std::size_t length, ReadOperation& operation) {
  return state_->read(offset, length, operation);
}

StallLedger& ScanStream::ledger() { return state_->ledger(); }
std::uint64_t ScanStream::lost_bytes() const { return state_->lost_bytes(); }

std::uint64_t ScanStream::delivered_bytes() const { return state_->delivered_bytes(); }
std::uint64_t ScanStream::window_bytes() const { return state_->window_bytes(); }

}  // namespace mark6
