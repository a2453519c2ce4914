// SPDX-License-Identifier: MIT
#include "common/report/stats_socket.hpp"

#include <fmt/format.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <utility>

#include "common/base/clock.hpp"
#include "common/report/abstract_address.hpp"

namespace mark6 {
namespace {

constexpr std::int64_t kPatienceNs = 1'000'000'000;
constexpr int kBacklog = 8;

/// Whether the process at the other end may see what we do.
bool may_ask(int fd) {
  const auto uid = peer_of(fd);
  return uid && (*uid == ::geteuid() || *uid == 0);
}

/// Waits until `fd` takes more; false when it is not worth it any more.
bool wait_writable(int fd, int stop_fd, std::int64_t deadline_ns) {
  std::array<pollfd, 2> watched = {pollfd{fd, POLLOUT, 0}, pollfd{stop_fd, POLLIN, 0}};
  const std::int64_t left_ms = (deadline_ns - monotonic_ns()) / 1'000'000;
  if (left_ms <= 0) return false;
  const int ready = ::poll(watched.data(), watched.size(), static_cast<int>(left_ms));
  return ready > 0 && watched[1].revents == 0;
}

}  // namespace

std::string stats_socket_name(uid_t uid, std::int64_t pid) {
  return fmt::format("{}{}.{}", kStatsSocketPrefix, uid, pid);
}

Result<StatsSocket> StatsSocket::listen(const std::string& name) {
  UniqueFd fd(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  if (!fd.valid()) return system_failure(name, "make a socket", errno);
  const AbstractAddress address(name);
  if (!address.valid() || ::bind(fd.get(), address.get(), address.length()) != 0 ||
      ::listen(fd.get(), kBacklog) != 0) {
    return system_failure(name, "listen", errno);
  }
  return StatsSocket(std::move(fd));
}

void StatsSocket::answer(const std::function<std::string()>& text, int stop_fd) const {
  const UniqueFd peer(::accept4(fd_.get(), nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK));
  if (!peer.valid() || !may_ask(peer.get())) return;
  const std::string all = text();
  const std::int64_t deadline_ns = monotonic_ns() + kPatienceNs;
  std::string_view rest = all;
  while (!rest.empty()) {
    const ssize_t n = ::send(peer.get(), rest.data(), rest.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
    if (n > 0) {
      rest.remove_prefix(static_cast<std::size_t>(n));
    } else if (errno == EAGAIN) {
      if (!wait_writable(peer.get(), stop_fd, deadline_ns)) return;
    } else if (errno != EINTR) {
      return;
    }
  }
}

}  // namespace mark6
