// SPDX-License-Identifier: MIT
// Addresses of sockets without a file (unix(7), "abstract"), and who is at the other end.
#pragma once

#include <sys/socket.h>
#include <sys/un.h>

#include <algorithm>
#include <cstddef>
#include <optional>
#include <string_view>

namespace mark6 {

class AbstractAddress {
 public:
  explicit AbstractAddress(std::string_view name) : name_bytes_(name.size()) {
    address_.sun_family = AF_UNIX;
    if (valid()) std::copy(name.begin(), name.end(), address_.sun_path + 1);
  }
  /// Whether the name is short enough.
  [[nodiscard]] bool valid() const { return name_bytes_ + 1 < sizeof address_.sun_path; }
  [[nodiscard]] const sockaddr* get() const { return reinterpret_cast<const sockaddr*>(&address_); }
  [[nodiscard]] socklen_t length() const {
    return static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + 1 + name_bytes_);
  }

 private:
  sockaddr_un address_{};
  std::size_t name_bytes_;
};

/// The user at the other end of `fd`; of a socket that listens: who made it listen.
inline std::optional<uid_t> peer_of(int fd) {
  ucred peer{};
  socklen_t size = sizeof peer;
  if (::getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &size) != 0) return std::nullopt;
  return peer.uid;
}

}  // namespace mark6
