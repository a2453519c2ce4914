// SPDX-License-Identifier: MIT
#include "gather/progress_view.hpp"

#include <sys/ioctl.h>

#include <utility>

#include "common/base/environment.hpp"

namespace mark6::gather {
namespace {

constexpr std::chrono::milliseconds kRedrawInterval{1000};
/// Where lines stay, as in a log file, fewer of them are enough.
constexpr std::chrono::milliseconds kLineInterval{10'000};
constexpr const char* kEraseLine = "\r\x1b[K";

void write_to(int fd, const std::string& text) {
  // Nowhere is left to report that stderr cannot be written.
  [[maybe_unused]] const auto written = write_text(fd, text);
}

}  // namespace

ProgressView::ProgressView(Options options, std::function<StreamLabels()> labels,
                           std::function<StreamSample()> sample)
    : options_(options), labels_(std::move(labels)), sample_(std::move(sample)) {
  if (options_.periodic) {
    ticker_.emplace(options_.is_tty ? kRedrawInterval : kLineInterval, [this] { redraw(); });
  }
}

std::size_t ProgressView::columns() const {
  constexpr std::size_t kUnlimited = 1000;
  if (!options_.is_tty) return kUnlimited;
  winsize size{};
  const bool known = ::ioctl(options_.fd, TIOCGWINSZ, &size) == 0 && size.ws_col > 1;
  return known ? size.ws_col - std::size_t{1} : 79;
}

void ProgressView::redraw() {
  const std::lock_guard lock(mutex_);
  StreamSample now = sample_();
  const std::string line = progress_line(labels_(), before_, now, columns());
  write_to(options_.fd, options_.is_tty ? kEraseLine + line : line + "\n");
  before_ = std::move(now);
}

void ProgressView::print_state() {
  const std::lock_guard lock(mutex_);
  const std::string line = progress_line(labels_(), StreamSample{}, sample_(), columns());
  write_to(options_.fd, (options_.is_tty ? kEraseLine : "") + line + "\n");
}

void ProgressView::end(bool leave_line) {
  if (!ticker_) return;
  ticker_.reset();
  if (leave_line) {
    print_state();
  } else if (options_.is_tty) {
    write_to(options_.fd, kEraseLine);
  }
}

}  // namespace mark6::gather
