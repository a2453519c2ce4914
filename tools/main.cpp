// SPDX-License-Identifier: MIT
#include <unistd.h>

#include <csignal>
#include <stop_token>
#include <string>
#include <vector>

#include "common/os/signals.hpp"
#include "tools/run.hpp"

int main(int argc, char** argv) {
  using namespace mark6;
  std::signal(SIGPIPE, SIG_IGN);  // a reader that leaves is a value (EPIPE), not our death
  std::stop_source stop;
  const SignalThread signals({SIGINT, SIGTERM}, [&stop](int) {
    // The second signal does not wait for a disk that may never answer.
    if (!stop.request_stop()) ::_exit(static_cast<int>(ExitCode::kInterrupted));
  });
  Environment environment = process_environment();
  environment.stop = stop.get_token();
  return static_cast<int>(run_mark6({argv + 1, argv + argc}, environment));
}
