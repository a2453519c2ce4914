// SPDX-License-Identifier: MIT
#include "gather/stop_event.hpp"

#include <poll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdint>
#include <utility>

namespace mark6::gather {

Failure interrupted() { return failure(ErrorCode::kInterrupted, "", "stopped by a signal"); }

StopEvent::StopEvent(std::stop_token stop)
    : stop_(std::move(stop)),
      event_(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)),
      on_stop_(stop_, [fd = event_.get()] {
        const std::uint64_t one = 1;
        [[maybe_unused]] const auto written = ::write(fd, &one, sizeof one);
      }) {}

Result<void> StopEvent::wait_writable(int fd, const std::string& name) const {
  std::array<pollfd, 2> watched = {pollfd{fd, POLLOUT, 0}, pollfd{event_.get(), POLLIN, 0}};
  while (true) {
    if (requested()) return interrupted();
    const int ready = ::poll(watched.data(), watched.size(), -1);
    if (ready < 0 && errno == EINTR) continue;
    if (ready < 0) return system_failure(name, "wait for the reader", errno);
    if (watched[0].revents != 0) return {};
  }
}

Result<void> StopEvent::sleep(int milliseconds) const {
  pollfd watched{event_.get(), POLLIN, 0};
  ::poll(&watched, 1, milliseconds);
  if (requested()) return interrupted();
  return {};
}

}  // namespace mark6::gather
