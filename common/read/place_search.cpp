// SPDX-License-Identifier: MIT
#include "common/read/place_search.hpp"

#include <cerrno>

#include "common/read/stream_state.hpp"

namespace mark6 {

PlaceSearch::PlaceSearch(std::shared_ptr<StreamState> of_stream, ReadEngine& engine,
                         const sg::GridFragment& of_fragment, const StreamFile& file,
                         const Purpose& purpose)
    : stream_(std::move(of_stream)),
      engine_(engine),
      fragment_(of_fragment),
      purpose_(purpose),
      search_(of_fragment, purpose.target) {
  fd = file.buffered_fd;
  disk = file.disk;
  buffered = true;
  length = needed = static_cast<std::uint32_t>(header_.size());
  into = header_.data();
  stream = this;  // a lane of its own: it does not queue behind the window it is to begin
}

void PlaceSearch::start(std::shared_ptr<StreamState> stream, ReadEngine& engine,
                        const sg::GridFragment& fragment, const StreamFile& file,
                        const Purpose& purpose) {
  auto* search = new PlaceSearch(std::move(stream), engine, fragment, file, purpose);
  search->step();
}

void PlaceSearch::step() {
  const auto place = search_.wanted();
  if (!place) return end(0);
  offset = (fragment_.payload_offset(*place) - sg::kBlockHeaderBytesV2).value;
  engine_.submit(this, this);
}

void PlaceSearch::finished(int error) {
  if (ended_) {
    delete this;
    return;
  }
  if (error != 0) return end(error);
  const auto header = sg::parse_block_header(header_, 2);
  if (!header || !search_.learn(BlockNumber(header->number))) return end(EILSEQ);
  step();
}

void PlaceSearch::timed_out() {
  ended_ = true;  // but the kernel may still write the header
  stream_->search_finished(*this, ETIMEDOUT);
}

void PlaceSearch::end(int error) {
  const std::unique_ptr<PlaceSearch> self(this);
  stream_->search_finished(*this, error);
}

}  // namespace mark6
