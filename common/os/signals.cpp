// SPDX-License-Identifier: MIT
#include "common/os/signals.hpp"

#include <poll.h>
#include <sys/eventfd.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include <array>
#include <cstdint>
#include <utility>

namespace mark6 {
namespace {

/// Calls `on_signal` for every signal until `wake_fd` becomes readable.
void take_signals(int signal_fd, int wake_fd, const std::function<void(int)>& on_signal) {
  std::array<pollfd, 2> watched = {pollfd{wake_fd, POLLIN, 0}, pollfd{signal_fd, POLLIN, 0}};
  while (true) {
    if (::poll(watched.data(), watched.size(), -1) <= 0) continue;
    if (watched[0].revents != 0) return;
    signalfd_siginfo info{};
    if (::read(signal_fd, &info, sizeof info) == static_cast<ssize_t>(sizeof info)) {
      on_signal(static_cast<int>(info.ssi_signo));
    }
  }
}

}  // namespace

SignalThread::SignalThread(std::initializer_list<int> signals, std::function<void(int)> on_signal) {
  sigset_t set;
  sigemptyset(&set);
  for (const int number : signals) sigaddset(&set, number);
  pthread_sigmask(SIG_BLOCK, &set, &before_);
  signals_ = UniqueFd(::signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK));
  wake_ = UniqueFd(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
  if (!signals_.valid() || !wake_.valid()) return;  // no descriptors left: signals stay blocked
  thread_ = std::thread([signal_fd = signals_.get(), wake_fd = wake_.get(),
                         call = std::move(on_signal)] { take_signals(signal_fd, wake_fd, call); });
}

SignalThread::~SignalThread() {
  if (thread_.joinable()) {
    const std::uint64_t one = 1;
    [[maybe_unused]] const auto written = ::write(wake_.get(), &one, sizeof one);
    thread_.join();
  }
  pthread_sigmask(SIG_SETMASK, &before_, nullptr);
}

}  // namespace mark6
