// SPDX-License-Identifier: MIT
// Finding out where the blocks of a grid lie (sg/block_grid.hpp). The window is opened over ranges
// of the scan; each fragment's cursor says which block comes next in it, and so which load of the
// window it can fill. A block's read brings the header of its fragment's next block along, so in
// order no header is ever read by itself; only a seek searches.
#include <algorithm>
#include <cerrno>

#include "common/read/place_search.hpp"
#include "common/read/stream_state.hpp"

namespace mark6 {

/// Says where `load` lies; with its memory it can then be read.
void StreamState::place(BlockLoad& load, const LoadPlace& where, Chores& chores) {
  const StreamFile& file = source_.files[where.extent.fragment().value];
  load.place(where, file);
  // A disk that had nothing to do, though there was more to read: the window was too short for it.
  load.late = has_read_[file.disk.value] && reads_out_[file.disk.value] == 0;
  has_read_[file.disk.value] = true;
  note_given(load, file.disk);
  reads_out_[file.disk.value] += static_cast<std::uint32_t>(load.reads());
  if (!placer_) return;  // it is on the list of loads to start already
  for (ReadOperation* operation : waiting_) {
    for (const Pin& pin : operation->pins_) {
      if (pin.load_ != &load) continue;
      // It waited for the place; now it waits for the reads.
      --operation->pending_;
      for (std::size_t i = 0; i < load.reads(); ++i) {
        const LoadRead& read = load.read(i);
        if (operation->begin_ < read.end && read.begin < operation->end_) ++operation->pending_;
      }
    }
  }
  if (!load.attached()) return;  // start() has it, and will submit it
  load.reference();
  chores.start.push(load);
}

/// Fills what can be filled of the window.
void StreamState::place_by_cursors(Chores& chores) {
  if (grid_error_ != 0 || !window_open_) return;
  for (std::size_t i = 0; i < placer_->fragments(); ++i) place_at_cursor(i, chores);
  for (const BlockLoad* load : window_) {
    if (load->placed()) continue;
    if (!placer_->may_come_to(index_.find(load->begin()))) give_up_grid(EILSEQ, chores);
    break;
  }
  for (std::size_t i = 0; i < placer_->fragments(); ++i) {
    chores.search = chores.search || placer_->needs_search(i);
  }
}

void StreamState::place_at_cursor(std::size_t fragment, Chores& chores) {
  const auto block = placer_->block(fragment);
  if (!block) return;
  LoadPlace where{.extent = placer_->extent(fragment),
                  .grid_fragment = fragment,
                  .grid_place = placer_->place(fragment)};
  const ScanOffset begin = where.extent.scan_offset;
  const ScanOffset end = where.extent.scan_end();
  if (window_.empty()) return;
  if (end <= window_.front()->begin()) {
    // The consumer has skipped it, and what stands behind it was not read.
    return placer_->lose(fragment, index_.find(window_.front()->begin()));
  }
  auto at = std::partition_point(window_.begin(), window_.end(),
                                 [begin](const BlockLoad* load) { return load->end() <= begin; });
  for (; at != window_.end() && (*at)->begin() < end; ++at) {
    BlockLoad* load = *at;
    if (load->placed()) {
      // Two fragments that both claim the block: the grid was no true picture.
      if (load->where().grid_fragment != fragment) return give_up_grid(EILSEQ, chores);
      // Cursors that were sent back (the window was shortened) come to blocks that are there
      // already: nobody else will tell what follows them.
      if (load->end() == end && load->read(load->reads() - 1).done) {
        return pass_by_cursor(*load, chores);
      }
      continue;
    }
    const bool last_part = load->end() == end;
    where.tail_bytes = last_part && placer_->has_next(fragment)
                           ? static_cast<std::uint32_t>(sg::kBlockHeaderBytesV2)
                           : 0;
    place(*load, where, chores);
  }
}

/// The cursor stands at the block of `load`, all of which has been read.
void StreamState::pass_by_cursor(BlockLoad& load, Chores& chores) {
  const LoadPlace& where = load.where();
  if (placer_->place(where.grid_fragment) != where.grid_place) return give_up_grid(EILSEQ, chores);
  if (load.read(load.reads() - 1).error != 0 || where.tail_bytes == 0) {
    placer_->lose(where.grid_fragment, index_.find(load.begin()) + 1);
  } else if (!placer_->learn_next(where.grid_fragment, where.grid_place,
                                  sg::parse_block_header(load.tail(), 2))) {
    return give_up_grid(EILSEQ, chores);
  }
  place_at_cursor(where.grid_fragment, chores);
}

/// Puts the cursors to the first block of the window that is not placed, or else behind it.
void StreamState::seek_cursors(Chores& chores) {
  std::size_t block = next_block_;
  for (const BlockLoad* load : window_) {
    if (load->placed()) continue;
    block = index_.find(load->begin());
    break;
  }
  placer_->seek(block);
  chores.search = block != 0;
}

/// The last read of a block that another one follows in its fragment is over.
void StreamState::learn_next(BlockLoad& load, int error, Chores& chores) {
  if (grid_error_ != 0 || load.cancelled()) return;
  const LoadPlace& where = load.where();
  if (placer_->place(where.grid_fragment) != where.grid_place) return;  // of an earlier window
  if (error != 0) {
    placer_->lose(where.grid_fragment, index_.find(load.begin()) + 1);
  } else if (!placer_->learn_next(where.grid_fragment, where.grid_place,
                                  sg::parse_block_header(load.tail(), 2))) {
    return give_up_grid(EILSEQ, chores);
  }
  place_by_cursors(chores);
}

void StreamState::search_finished(const PlaceSearch& search, int error) {
  const PlaceSearch::Purpose& purpose = search.purpose();
  Chores chores;
  {
    const std::lock_guard lock(mutex_);
    if (purpose.load != nullptr) {
      BlockLoad& load = *purpose.load;
      const bool here = error == 0 && search.result().number() == purpose.target;
      if (here && !load.placed() && load.failure == 0) {
        const std::size_t i = purpose.fragment;
        LoadPlace where{.extent = index_.block(index_.find(load.begin())),
                        .direct = false,
                        .grid_fragment = i,
                        .grid_place = search.result().place()};
        where.extent.place =
            sg::Extent::place_of(index_.fragment_of_grid(i),
                                 index_.grid()->fragments()[i].payload_offset(where.grid_place));
        place(load, where, chores);
      }
      if (error != 0) load.search_error = error;
      if (--load.searches == 0 && !load.placed() && load.failure == 0) {
        fail(load, load.search_error != 0 ? load.search_error : EILSEQ, chores);
      }
    } else if (purpose.generation == placer_->generation() && grid_error_ == 0) {
      if (error != 0) {
        give_up_grid(error, chores);
      } else {
        placer_->found(purpose.fragment, search.result().place(), search.result().number());
        place_by_cursors(chores);
      }
    }
  }
  do_chores(chores);
  if (purpose.load != nullptr) purpose.load->release();
}

/// Nothing that is not placed yet will be.
void StreamState::give_up_grid(int error, Chores& chores) {
  if (grid_error_ != 0) return;
  grid_error_ = error;
  for (BlockLoad* load : window_) {
    if (!load->placed()) fail(*load, error, chores);
  }
}

/// `load` will never be placed.
void StreamState::fail(BlockLoad& load, int error, Chores& chores) {
  load.failure = error;
  arrived(load, load.begin(), load.end(), error, chores);
}

// ---- without the mutex --------------------------------------------------------------------------

void StreamState::search_cursors() {
  for (std::size_t i = 0; i < index_.grid()->fragments().size(); ++i) {
    PlaceSearch::Purpose purpose{.fragment = i, .generation = 0, .load = nullptr, .target = {}};
    {
      const std::lock_guard lock(mutex_);
      if (!placer_->needs_search(i)) continue;
      purpose.generation = placer_->generation();
      purpose.target = placer_->begin_search(i);
    }
    const auto fragment = index_.fragment_of_grid(i).value;
    PlaceSearch::start(shared_from_this(), engine_, index_.grid()->fragments()[i],
                       source_.files[fragment], purpose);
  }
}

/// Searches all fragments for the block of `load`, which has a reference for this.
void StreamState::search_for(BlockLoad& load) {
  const std::size_t count = index_.grid()->fragments().size();
  const BlockNumber target = index_.block(index_.find(load.begin())).number;
  {
    const std::lock_guard lock(mutex_);
    load.searches = count;
    load.search_error = 0;
  }
  for (std::size_t i = 0; i < count; ++i) {
    load.reference();
    const auto fragment = index_.fragment_of_grid(i).value;
    PlaceSearch::start(shared_from_this(), engine_, index_.grid()->fragments()[i],
                       source_.files[fragment], {.fragment = i, .load = &load, .target = target});
  }
  load.release();
}

}  // namespace mark6
