// SPDX-License-Identifier: MIT
// The progress line on stderr: redrawn in place on a terminal, a line now and then elsewhere, and
// at once when a signal asks for the state.
#pragma once

#include <functional>
#include <mutex>
#include <optional>

#include "common/report/progress.hpp"

namespace mark6::gather {

class ProgressView {
 public:
  struct Options {
    int fd = 2;
    bool is_tty = false;
    bool periodic = false;  ///< not only when asked
  };

  /// `sample` tells the state; it is called from other threads until the view is destroyed.
  /// So is `labels`: the names of the disks may become known late.
  ProgressView(Options options, std::function<StreamLabels()> labels,
               std::function<StreamSample()> sample);

  /// Writes the state since the start, as a line of its own. Any thread.
  void print_state();

  /// Stops redrawing: leaves a last line behind, or none.
  void end(bool leave_line);

 private:
  void redraw();
  [[nodiscard]] std::size_t columns() const;

  const Options options_;
  const std::function<StreamLabels()> labels_;
  const std::function<StreamSample()> sample_;
  std::mutex mutex_;
  StreamSample before_;
  std::optional<Ticker> ticker_;  // last: its thread uses all of the above
};

}  // namespace mark6::gather
