// SPDX-License-Identifier: MIT
#include "gather/signals.hpp"

#include <unistd.h>

#include <utility>

#include "common/base/exit_code.hpp"

namespace mark6::gather {

IgnoredSignal::IgnoredSignal(int number) : number_(number) {
  struct sigaction ignore {};
  ignore.sa_handler = SIG_IGN;
  ::sigaction(number, &ignore, &before_);
}

IgnoredSignal::~IgnoredSignal() { ::sigaction(number_, &before_, nullptr); }

Signals::Signals(const std::stop_token& outer)
    : outer_(outer, [this] { source_.request_stop(); }),
      thread_({SIGINT, SIGTERM, SIGUSR1}, [this](int number) { on_signal(number); }) {}

void Signals::set_state_printer(std::function<void()> print) {
  const std::lock_guard lock(mutex_);
  print_state_ = std::move(print);
}

void Signals::on_signal(int number) {
  if (number == SIGUSR1) {
    const std::lock_guard lock(mutex_);
    if (print_state_) print_state_();
    return;
  }
  // A disk that hangs can keep the orderly way from ending: whoever asks twice gets out.
  if (!source_.request_stop()) ::_exit(static_cast<int>(ExitCode::kInterrupted));
}

}  // namespace mark6::gather
