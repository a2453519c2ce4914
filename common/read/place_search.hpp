// SPDX-License-Identifier: MIT
// A search for a block number in one fragment, by small reads through the engine: it never waits,
// and the disk's counters see it.
#pragma once

#include <array>
#include <cstdint>
#include <memory>

#include "common/read/read_engine.hpp"
#include "common/read/scan_stream.hpp"
#include "common/sg/block_search.hpp"

namespace mark6 {

/// Lives from PlaceSearch::start() until its stream was told the end; owns itself in between.
class PlaceSearch final : public ReadRequest {
 public:
  /// What the search is for: the cursor of a window, or one load by itself.
  struct Purpose {
    std::size_t fragment = 0;      ///< of the grid
    std::uint64_t generation = 0;  ///< of the seek it is for
    BlockLoad* load = nullptr;     ///< the load it is for, with a reference; or none
    BlockNumber target;
  };

  /// Begins the search. Its end comes by StreamState::search_finished(), perhaps at once.
  static void start(std::shared_ptr<StreamState> stream, ReadEngine& engine,
                    const sg::GridFragment& fragment, const StreamFile& file,
                    const Purpose& purpose);

  void finished(int error) override;
  void timed_out() override;
  [[nodiscard]] bool wanted() const override { return true; }

  [[nodiscard]] const Purpose& purpose() const { return purpose_; }
  [[nodiscard]] const sg::BlockSearch& result() const { return search_; }

 private:
  PlaceSearch(std::shared_ptr<StreamState> stream, ReadEngine& engine,
              const sg::GridFragment& of_fragment, const StreamFile& file, const Purpose& purpose);
  void step();
  void end(int error);

  bool ended_ = false;  ///< its stream has been told

  std::shared_ptr<StreamState> stream_;
  ReadEngine& engine_;
  const sg::GridFragment& fragment_;
  const Purpose purpose_;
  sg::BlockSearch search_;
  std::array<std::byte, sg::kBlockHeaderBytesV2> header_{};
};

}  // namespace mark6
