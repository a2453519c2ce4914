// SPDX-License-Identifier: MIT
#include "fuse/parked.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <charconv>
#include <csignal>
#include <cstdint>
#include <string>
#include <string_view>

#include "common/os/unique_fd.hpp"

namespace mark6 {
namespace {

/// Whether the line `field` of a /proc status text has SIGKILL in its mask.
bool has_kill(std::string_view status, std::string_view field) {
  const auto at = status.find(field);
  if (at == std::string_view::npos) return false;
  const auto digits = status.substr(at + field.size());
  const auto start = digits.find_first_not_of(" \t");
  if (start == std::string_view::npos) return false;
  std::uint64_t mask = 0;
  std::from_chars(digits.data() + start, digits.data() + digits.size(), mask, 16);
  return (mask & (std::uint64_t{1} << (SIGKILL - 1))) != 0;
}

}  // namespace

bool is_being_killed(pid_t pid) {
  if (pid <= 0) return false;  // in a PID namespace that we cannot see
  const std::string path = "/proc/" + std::to_string(pid) + "/status";
  const UniqueFd fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (!fd.valid()) return false;
  std::array<char, 4096> text{};
  const ssize_t got = ::read(fd.get(), text.data(), text.size());
  if (got <= 0) return false;
  const std::string_view status(text.data(), static_cast<std::size_t>(got));
  return has_kill(status, "\nSigPnd:") || has_kill(status, "\nShdPnd:");
}

void ParkedFuse::park(fuse_req_t request, ReplyQueue& queue) {
  request_ = request;
  queue_ = &queue;
  pid_ = fuse_req_ctx(request)->pid;
  // In this order: once watched, the request may be answered and gone.
  fuse_req_interrupt_func(request, &ParkedFuse::on_interrupt, this);
  queue.watch(*this);
}

fuse_req_t ParkedFuse::take() {
  // Waits for an on_interrupt() in progress; none comes afterwards.
  fuse_req_interrupt_func(request_, nullptr, nullptr);
  return request_;
}

void ParkedFuse::on_interrupt(fuse_req_t /*request*/, void* parked) {
  auto& self = *static_cast<ParkedFuse*>(parked);
  self.queue_->interrupted(self);
}

}  // namespace mark6
